public import Foundation
import Playhead

/// A rectangle in a tree of layers: a color, an image or, in a subclass, video.
///
/// `display(in:)` shows a tree. Coordinates are in pixels, from the top left corner. As on Apple's platforms, a tree is used
/// from one thread at a time: the main thread.
open class CALayer: NSObject {
    private var center = CGPoint.zero
    private var area = CGRect.zero
    private var anchor = CGPoint(x: 0.5, y: 0.5)
    private var depth: CGFloat = 0
    private var isLeftOut = false
    private var alpha: Float = 1
    var children: [CALayer] = []
    weak var parent: CALayer?
    private var isLayoutNeeded = false
    /// The composite that shows the tree, if this is its root.
    var screen: CompositeSink?
    private var fill: CGColor?
    private var content: Any?
    private var gravity = CALayerContentsGravity.resize
    /// The part of the composite in which the layer is drawn; nil while it is not shown, or has nothing to draw.
    var region: CompositeRegion?
    weak var regionOwner: CompositeSink?

    /// Creates a layer of this class, for views whose layer has a class of its own. Subclasses of an application override
    /// it. This is not part of Apple's API, which calls an initializer of the class.
    ///
    /// - Returns: The layer.
    open class func makeLayer() -> CALayer { CALayer() }

    /// Creates a layer without a size.
    public override init() { super.init() }

    deinit {
        region?.finish()
        for layer in children { layer.leaveScreen() }
    }

    // MARK: Geometry

    /// The rectangle in the coordinates of the superlayer. It is computed from `bounds`, `position` and `anchorPoint`.
    open var frame: CGRect {
        get {
            CGRect(
                x: center.x - anchor.x * area.size.width,
                y: center.y - anchor.y * area.size.height,
                width: area.size.width,
                height: area.size.height
            )
        }
        set {
            let rectangle = newValue.standardized
            center = CGPoint(
                x: rectangle.origin.x + anchor.x * rectangle.size.width,
                y: rectangle.origin.y + anchor.y * rectangle.size.height
            )
            setBounds(CGRect(origin: area.origin, size: rectangle.size))
        }
    }

    /// The rectangle in the layer's own coordinates. A change of the size requests a layout.
    open var bounds: CGRect {
        get { area }
        set { setBounds(newValue.standardized) }
    }

    private func setBounds(_ rectangle: CGRect) {
        let isResized = area.size != rectangle.size
        area = rectangle
        if isResized {
            boundsDidChange()
            setNeedsLayout()
        }
        treeDidChange()
    }

    /// Adapts what the layer shows to the size. `AVPlayerLayer` overrides it.
    func boundsDidChange() { drawContents() }

    /// The position of the anchor point in the coordinates of the superlayer.
    open var position: CGPoint {
        get { center }
        set {
            guard newValue != center else { return }
            center = newValue
            treeDidChange()
        }
    }

    /// The point of the bounds that is at `position`; (0.5, 0.5), the default, is the center.
    open var anchorPoint: CGPoint {
        get { anchor }
        set {
            guard newValue != anchor else { return }
            anchor = newValue
            treeDidChange()
        }
    }

    /// The order among the sublayers of a layer: higher ones cover lower ones, and later ones cover earlier ones.
    open var zPosition: CGFloat {
        get { depth }
        set {
            guard newValue != depth else { return }
            depth = newValue
            treeDidChange()
        }
    }

    /// A Boolean value that indicates whether the layer and its sublayers are left out.
    open var isHidden: Bool {
        get { isLeftOut }
        set {
            guard newValue != isLeftOut else { return }
            isLeftOut = newValue
            treeDidChange()
        }
    }

    /// The opacity. A layer with an opacity of 0 or less is left out; every other one is shown without transparency.
    open var opacity: Float {
        get { alpha }
        set {
            guard newValue != alpha else { return }
            alpha = newValue
            treeDidChange()
        }
    }

    /// A Boolean value that indicates whether sublayers are clipped. Has no effect.
    open var masksToBounds = false
    /// The pixels of a point. Has no effect: a point is a pixel.
    open var contentsScale: CGFloat = 1
    /// A Boolean value that indicates whether the layer is drawn again when its size changes. Has no effect: it always is.
    open var needsDisplayOnBoundsChange = false
    /// A name for the application's own use.
    open var name: String?

    // MARK: Contents

    /// The color that fills the layer below its contents, or nil.
    open var backgroundColor: CGColor? {
        get { fill }
        set {
            guard newValue != fill else { return }
            fill = newValue
            treeDidChange()
        }
    }

    /// The image of the layer: a `CGImage`, or nil. Another value is logged and not drawn. The image is scaled at once, on
    /// the calling thread.
    open var contents: Any? {
        get { content }
        set {
            if let newValue, !(newValue is CGImage) {
                Misuse.report("contents: \(type(of: newValue)) is not an image")
            }
            content = newValue
            let isShown = region != nil
            treeDidChange()
            if isShown { drawContents() }
        }
    }

    /// The way in which the image is fitted into the layer; `.resize` by default. An unknown one has no effect.
    open var contentsGravity: CALayerContentsGravity {
        get { gravity }
        set {
            guard newValue.gravity != nil else {
                return Misuse.report("contentsGravity: unknown gravity \(newValue.rawValue)")
            }
            gravity = newValue
            drawContents()
        }
    }

    private var image: CGImage? { content as? CGImage }

    /// Draws the image into the region. `AVPlayerLayer` overrides it, because it shows video instead.
    func drawContents() {
        let size = PixelSize(area.size)
        guard let region, !size.isEmpty else { return }
        guard let image, let gravity = gravity.gravity else { return region.clear() }
        do {
            try region.present(image.frame.converted(to: .bgra, size: size, gravity: gravity))
        } catch {
            Misuse.report("contents: the image cannot be scaled to \(size.width)x\(size.height): \(error)")
        }
    }

    /// Whether the layer draws something of its own.
    var isDrawn: Bool { fill != nil || image != nil }

    // MARK: Tree

    /// The sublayers from back to front, or nil. Setting them moves them to this layer.
    open var sublayers: [CALayer]? {
        get { children.isEmpty ? nil : children }
        set {
            for layer in children { layer.removeFromSuperlayer() }
            for layer in newValue ?? [] { addSublayer(layer) }
        }
    }

    /// The layer that contains this one, or nil.
    open var superlayer: CALayer? { parent }

    /// Adds a sublayer in front of the others. It leaves its former superlayer.
    ///
    /// - Parameter layer: The layer. This layer and the layers that contain it are not added.
    open func addSublayer(_ layer: CALayer) { insert(layer) { children.count } }

    /// Inserts a sublayer.
    ///
    /// - Parameters:
    ///   - layer: The layer.
    ///   - index: Its index from back to front; a higher one than possible means the front.
    open func insertSublayer(_ layer: CALayer, at index: UInt32) {
        insert(layer) { min(Int(index), children.count) }
    }

    /// Inserts a sublayer behind another one.
    ///
    /// - Parameters:
    ///   - layer: The layer.
    ///   - sibling: The sublayer in front of it; with any other one it is inserted at the front.
    open func insertSublayer(_ layer: CALayer, below sibling: CALayer?) {
        insert(layer) { children.firstIndex { $0 === sibling } ?? children.count }
    }

    /// Inserts a sublayer in front of another one.
    ///
    /// - Parameters:
    ///   - layer: The layer.
    ///   - sibling: The sublayer below it; with any other one it is inserted at the front.
    open func insertSublayer(_ layer: CALayer, above sibling: CALayer?) {
        insert(layer) { children.firstIndex { $0 === sibling }.map { $0 + 1 } ?? children.count }
    }

    /// Removes the layer from its superlayer.
    open func removeFromSuperlayer() {
        guard let parent else { return }
        let root = root
        parent.children.removeAll { $0 === self }
        self.parent = nil
        leaveScreen()
        root.treeDidChange()
    }

    // MARK: Layout

    /// Requests that `layoutSublayers()` be called by the next `layoutIfNeeded()`.
    open func setNeedsLayout() { isLayoutNeeded = true }
    /// Returns whether a layout is requested.
    ///
    /// - Returns: True after `setNeedsLayout()` and a change of the size.
    open func needsLayout() -> Bool { isLayoutNeeded }

    /// Calls `layoutSublayers()` of the layer and its sublayers where a layout is requested. There is no run loop that
    /// does it: call it after changes, or `display(in:)`.
    open func layoutIfNeeded() {
        if isLayoutNeeded {
            isLayoutNeeded = false
            layoutSublayers()
        }
        for layer in children { layer.layoutIfNeeded() }
    }

    /// Places the sublayers. The implementation of this class does nothing; subclasses override it.
    open func layoutSublayers() {}

    /// Has no effect: what is shown is drawn again when it changes.
    open func setNeedsDisplay() {}

    /// Has no effect: there are no animations.
    open func removeAllAnimations() {}

    // MARK: Showing

    /// Begins to draw in a region. `AVPlayerLayer` overrides it.
    func enter(_ region: CompositeRegion) { drawContents() }

    /// Ends drawing in a region, and removes it. `AVPlayerLayer` overrides it.
    func leave(_ region: CompositeRegion) { region.finish() }

    // MARK: Observing by strings

    /// Receives a change of a property that this object observes by string. This implementation does nothing.
    ///
    /// - Parameters:
    ///   - keyPath: The string that was passed to `addObserver(_:forKeyPath:options:context:)`.
    ///   - object: The observed object.
    ///   - change: The values that the options request.
    ///   - context: The pointer that was passed to `addObserver(_:forKeyPath:options:context:)`.
    @MainActor open func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}
}

extension CALayer: NSKeyValueObserving {}
