public import Foundation

/// Receives notices of an output for subtitles or metadata on the queue that was set with it. The method is optional.
public protocol AVPlayerItemOutputPushDelegate: NSObjectProtocol {
    /// Tells the delegate that what it has received is not due any more: after a seek, and with another pass of a loop,
    /// another direction or another track.
    ///
    /// - Parameter output: The output.
    func outputSequenceWasFlushed(_ output: AVPlayerItemOutput)
}

extension AVPlayerItemOutputPushDelegate {
    /// Does nothing.
    public func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) {}
}
