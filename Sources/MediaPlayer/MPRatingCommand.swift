import Foundation

/// The command to rate what is playing. It does not occur.
///
/// `@unchecked Sendable`: the lock guards the stored values.
open class MPRatingCommand: MPRemoteCommand, @unchecked Sendable {
    private let limitsLock = NSLock()
    private var minimum: Float = 0
    private var maximum: Float = 0

    /// The lowest rating. Has no effect.
    open var minimumRating: Float {
        get { limitsLock.withLock { minimum } }
        set { limitsLock.withLock { minimum = newValue } }
    }

    /// The highest rating. Has no effect.
    open var maximumRating: Float {
        get { limitsLock.withLock { maximum } }
        set { limitsLock.withLock { maximum = newValue } }
    }
}
