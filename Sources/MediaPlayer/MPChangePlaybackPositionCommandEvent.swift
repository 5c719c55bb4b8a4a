public import Foundation

/// A command to change the position. It does not occur.
open class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent {
    /// The new position in seconds.
    public let positionTime: TimeInterval

    init(_ command: MPRemoteCommand, timestamp: TimeInterval, positionTime: TimeInterval) {
        self.positionTime = positionTime
        super.init(command, timestamp: timestamp)
    }
}
