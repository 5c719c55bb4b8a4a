import Foundation
public import Playhead

/// The composite that shows a tree of layers.
extension CALayer {
    /// Shows the layer and its sublayers in a composite, which delivers pictures to windows, terminals and files. The tree
    /// stays shown as it changes. This is not part of Apple's API, where a window does it.
    ///
    /// - Parameter composite: The composite, which the layer retains and whose size stays as it is; nil ends showing the
    ///   tree. A layer that has a superlayer is shown with the tree of that layer, and not by this method.
    public func display(in composite: CompositeSink?) {
        guard parent == nil else {
            return Misuse.report("display(in:) is for the layer at the root of a tree")
        }
        layoutIfNeeded()
        setScreen(composite)
    }

    func setScreen(_ composite: CompositeSink?) {
        guard screen !== composite else { return }
        if screen != nil { leaveScreen() }
        screen = composite
        treeDidChange()
    }

    func leaveScreen() {
        place(nil)
        for layer in children { layer.leaveScreen() }
    }

    /// Updates the composite after a change of any layer of the tree.
    func treeDidChange() {
        let root = root
        guard let screen = root.screen else { return }
        var order = 0.0
        root.arrange(CGPoint.zero, isHidden: false, &order, screen)
    }

    /// Places this layer and its sublayers.
    ///
    /// - Parameters:
    ///   - origin: The origin of the layer in the picture.
    ///   - isHidden: Whether a superlayer is left out.
    ///   - order: The number of the next layer from back to front.
    ///   - screen: The composite.
    private func arrange(_ origin: CGPoint, isHidden: Bool, _ order: inout Double, _ screen: CompositeSink) {
        let isHidden = isHidden || self.isHidden || !(opacity > 0)
        place(
            Placement(
                screen: screen,
                frame: CGRect(origin: origin, size: bounds.size),
                zPosition: order,
                isHidden: isHidden
            )
        )
        order += 1
        let ordered = children.enumerated().sorted {
            ($0.element.zPosition, $0.offset) < ($1.element.zPosition, $1.offset)
        }
        for (_, layer) in ordered {
            let frame = layer.frame
            let corner = CGPoint(
                x: origin.x + frame.origin.x - bounds.origin.x,
                y: origin.y + frame.origin.y - bounds.origin.y
            )
            layer.arrange(corner, isHidden: isHidden, &order, screen)
        }
    }

    /// The place of a layer in a picture.
    struct Placement {
        let screen: CompositeSink
        let frame: CGRect
        let zPosition: Double
        let isHidden: Bool
    }

    /// Shows what the layer contains at a place, or ends showing it.
    private func place(_ placement: Placement?) {
        guard let placement, isDrawn else { return leaveRegion() }
        let rectangle = PixelRect(placement.frame)
        if regionOwner !== placement.screen { leaveRegion() }
        let shown = region ?? placement.screen.makeRegion(rectangle, zPosition: placement.zPosition)
        shown.frame = rectangle
        shown.zPosition = placement.zPosition
        shown.isHidden = placement.isHidden
        shown.backgroundColor = backgroundColor?.color ?? .clear
        if region == nil {
            (region, regionOwner) = (shown, placement.screen)
            enter(shown)
        }
    }

    /// Ends showing the layer until the tree is arranged again.
    func leaveRegion() {
        guard let region else { return }
        self.region = nil
        leave(region)
    }
}
