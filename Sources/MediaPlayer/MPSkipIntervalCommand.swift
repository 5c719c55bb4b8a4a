public import Foundation

/// The command to skip by an interval. It does not occur.
///
/// `@unchecked Sendable`: the lock guards the stored value.
open class MPSkipIntervalCommand: MPRemoteCommand, @unchecked Sendable {
    private let intervalsLock = NSLock()
    private var intervals: [NSNumber] = []

    /// The intervals in seconds. Has no effect.
    open var preferredIntervals: [NSNumber] {
        get { intervalsLock.withLock { intervals } }
        set { intervalsLock.withLock { intervals = newValue } }
    }
}
