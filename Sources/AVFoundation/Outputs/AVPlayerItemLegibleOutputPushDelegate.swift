public import CoreMedia
public import Foundation

/// Receives the subtitles of an item. The method is optional.
public protocol AVPlayerItemLegibleOutputPushDelegate: AVPlayerItemOutputPushDelegate {
    /// Tells the delegate which subtitles are due from an item time on: none, if the last ones are over.
    ///
    /// - Parameters:
    ///   - output: The output.
    ///   - strings: The texts without attributes, in the order in which they begin.
    ///   - nativeSamples: Empty: subtitles are delivered as text.
    ///   - itemTime: The item time.
    func legibleOutput(
        _ output: AVPlayerItemLegibleOutput,
        didOutputAttributedStrings strings: [NSAttributedString],
        nativeSampleBuffers nativeSamples: [Any],
        forItemTime itemTime: CMTime
    )
}

extension AVPlayerItemLegibleOutputPushDelegate {
    /// Does nothing.
    public func legibleOutput(
        _ output: AVPlayerItemLegibleOutput,
        didOutputAttributedStrings strings: [NSAttributedString],
        nativeSampleBuffers nativeSamples: [Any],
        forItemTime itemTime: CMTime
    ) {}
}
