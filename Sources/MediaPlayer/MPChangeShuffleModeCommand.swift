import Foundation

/// The command to change what is played in random order. It does not occur.
///
/// `@unchecked Sendable`: the lock guards the stored value.
open class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let typeLock = NSLock()
    private var type = MPShuffleType.off

    /// The items that are played in random order at present. Has no effect.
    open var currentShuffleType: MPShuffleType {
        get { typeLock.withLock { type } }
        set { typeLock.withLock { type = newValue } }
    }
}
