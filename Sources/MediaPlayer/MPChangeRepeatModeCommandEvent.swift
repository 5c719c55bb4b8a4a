import Foundation

/// A command to change what is repeated. It does not occur.
open class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent {
    /// The items to repeat from now on.
    public let repeatType: MPRepeatType
    /// A Boolean value that indicates whether the choice applies to later playback too.
    public let preservesRepeatMode: Bool

    init(
        _ command: MPRemoteCommand,
        timestamp: TimeInterval,
        repeatType: MPRepeatType,
        preservesRepeatMode: Bool
    ) {
        self.repeatType = repeatType
        self.preservesRepeatMode = preservesRepeatMode
        super.init(command, timestamp: timestamp)
    }
}
