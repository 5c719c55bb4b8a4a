public import Foundation

/// A command to skip by an interval. It does not occur.
open class MPSkipIntervalCommandEvent: MPRemoteCommandEvent {
    /// The interval in seconds.
    public let interval: TimeInterval

    init(_ command: MPRemoteCommand, timestamp: TimeInterval, interval: TimeInterval) {
        self.interval = interval
        super.init(command, timestamp: timestamp)
    }
}
