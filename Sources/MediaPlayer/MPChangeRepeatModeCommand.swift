import Foundation

/// The command to change what is repeated. It does not occur.
///
/// `@unchecked Sendable`: the lock guards the stored value.
open class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let typeLock = NSLock()
    private var type = MPRepeatType.off

    /// The items that are repeated at present. Has no effect.
    open var currentRepeatType: MPRepeatType {
        get { typeLock.withLock { type } }
        set { typeLock.withLock { type = newValue } }
    }
}
