import Foundation

/// A command to change the rate. It does not occur.
open class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent {
    /// The new rate.
    public let playbackRate: Float

    init(_ command: MPRemoteCommand, timestamp: TimeInterval, playbackRate: Float) {
        self.playbackRate = playbackRate
        super.init(command, timestamp: timestamp)
    }
}
