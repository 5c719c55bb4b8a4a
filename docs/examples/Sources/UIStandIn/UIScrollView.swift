public import AVFoundation

@MainActor public protocol UIScrollViewDelegate: AnyObject {
    func scrollViewDidScroll(_ scrollView: UIScrollView)
    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView)
}

extension UIScrollViewDelegate {
    public func scrollViewDidScroll(_ scrollView: UIScrollView) {}
    public func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {}
}

/// A view whose contents can be moved.
open class UIScrollView: UIView {
    open weak var delegate: (any UIScrollViewDelegate)?
    open var contentSize = CGSize.zero

    open var contentOffset: CGPoint {
        get { bounds.origin }
        set {
            guard newValue != bounds.origin else { return }
            bounds.origin = newValue
            contentsDidMove()
            delegate?.scrollViewDidScroll(self)
        }
    }

    /// Updates what is visible.
    open func contentsDidMove() {}

    /// Scrolls as a finger does, and comes to rest. It takes the place of a user.
    public func drag(to offset: CGPoint, seconds: Double) async throws {
        let (start, steps) = (contentOffset, max(1, Int(seconds * 60)))
        for step in 1...steps {
            let part = Double(step) / Double(steps)
            contentOffset = CGPoint(
                x: (start.x + (offset.x - start.x) * part).rounded(),
                y: (start.y + (offset.y - start.y) * part).rounded()
            )
            try await Task.sleep(for: .seconds(seconds / Double(steps)))
        }
        delegate?.scrollViewDidEndDecelerating(self)
    }
}
