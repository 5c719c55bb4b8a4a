public import AVFoundation

// Stand-ins for the classes of UIKit that the examples use, with the same names and members, so that the code of an example reads as it
// does on an iPhone. They describe a tree of layers, which a composite draws; touches, animations and the rest of UIKit are missing.

/// A rectangle with a layer.
@MainActor open class UIView: NSObject, NSKeyValueObserving {
    /// How an image is fitted into a view.
    public enum ContentMode { case scaleToFill, scaleAspectFit, scaleAspectFill }

    /// The class of the view's layer.
    open class var layerClass: CALayer.Type { CALayer.self }
    /// The layer.
    public let layer: CALayer
    /// The view that contains this one.
    public private(set) weak var superview: UIView?
    /// The subviews from back to front.
    public private(set) var subviews: [UIView] = []
    open var contentMode = ContentMode.scaleToFill

    public init(frame: CGRect) {
        layer = Self.layerClass.makeLayer()
        super.init()
        self.frame = frame
    }

    public override convenience init() { self.init(frame: .zero) }

    open var frame: CGRect {
        get { layer.frame }
        set {
            let isResized = layer.frame.size != newValue.size
            layer.frame = newValue
            if isResized { layoutSublayers(of: layer) }
        }
    }

    open var bounds: CGRect {
        get { layer.bounds }
        set { layer.bounds = newValue }
    }

    open var isHidden: Bool {
        get { layer.isHidden }
        set { layer.isHidden = newValue }
    }

    open var backgroundColor: UIColor? {
        didSet { layer.backgroundColor = backgroundColor?.cgColor }
    }

    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
        layer.addSublayer(view.layer)
        view.layoutSublayers(of: view.layer)
    }

    open func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
        layer.removeFromSuperlayer()
    }

    /// Called when the size has changed, and when the view was added to another one.
    open func layoutSublayers(of layer: CALayer) { layoutSubviews() }
    open func layoutSubviews() {}

    open func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}
}
