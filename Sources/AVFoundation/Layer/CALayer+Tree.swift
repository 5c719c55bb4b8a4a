import Foundation

extension CALayer {
    /// Moves a layer to this one. The index is read after the layer has left its former superlayer.
    func insert(_ layer: CALayer, at index: () -> Int) {
        guard !layer.contains(self) else {
            return Misuse.report("a layer cannot be a sublayer of itself or of one of its sublayers")
        }
        layer.removeFromSuperlayer()
        layer.setScreen(nil)
        children.insert(layer, at: index())
        layer.parent = self
        setNeedsLayout()
        treeDidChange()
    }

    private func contains(_ layer: CALayer) -> Bool {
        var ancestor: CALayer? = layer
        while let candidate = ancestor {
            if candidate === self { return true }
            ancestor = candidate.parent
        }
        return false
    }

    /// The layer at the top of the tree.
    var root: CALayer {
        var layer = self
        while let parent = layer.parent { layer = parent }
        return layer
    }
}
