public import Foundation

/// Receives notices of an `AVPlayerItemVideoOutput` on the queue that was set with it. Both methods are optional.
public protocol AVPlayerItemOutputPullDelegate: NSObjectProtocol {
    /// Tells the delegate that a frame is available. It is called once after
    /// `requestNotificationOfMediaDataChange(withAdvanceInterval:)`.
    ///
    /// - Parameter sender: The output.
    func outputMediaDataWillChange(_ sender: AVPlayerItemOutput)

    /// Tells the delegate that frames that it has copied are not due any more: after a seek, and with another pass of a
    /// loop or another direction.
    ///
    /// - Parameter output: The output.
    func outputSequenceWasFlushed(_ output: AVPlayerItemOutput)
}

extension AVPlayerItemOutputPullDelegate {
    /// Does nothing.
    public func outputMediaDataWillChange(_ sender: AVPlayerItemOutput) {}
    /// Does nothing.
    public func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) {}
}
