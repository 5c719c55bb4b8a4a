public import Foundation

/// A command that a user gave. It does not occur.
open class MPRemoteCommandEvent: NSObject {
    /// The command.
    public let command: MPRemoteCommand
    /// The time of the command in seconds.
    public let timestamp: TimeInterval

    init(_ command: MPRemoteCommand, timestamp: TimeInterval) {
        self.command = command
        self.timestamp = timestamp
        super.init()
    }
}
