import Foundation

/// A command to like, dislike or bookmark what is playing. It does not occur.
open class MPFeedbackCommandEvent: MPRemoteCommandEvent {
    /// A Boolean value that indicates whether an earlier command is revoked.
    public let isNegative: Bool

    init(_ command: MPRemoteCommand, timestamp: TimeInterval, isNegative: Bool) {
        self.isNegative = isNegative
        super.init(command, timestamp: timestamp)
    }
}
