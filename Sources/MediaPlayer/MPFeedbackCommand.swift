import Foundation

/// The command to like, dislike or bookmark what is playing. It does not occur.
///
/// `@unchecked Sendable`: the lock guards the stored values.
open class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
    private let stateLock = NSLock()
    private var wasGiven = false
    private var title = ""
    private var shortTitle = ""

    /// A Boolean value that indicates whether the user has given the command before. Has no effect.
    open var isActive: Bool {
        get { stateLock.withLock { wasGiven } }
        set { stateLock.withLock { wasGiven = newValue } }
    }

    /// The title for users. Has no effect.
    open var localizedTitle: String {
        get { stateLock.withLock { title } }
        set { stateLock.withLock { title = newValue } }
    }

    /// The title for users, for narrow places. Has no effect.
    open var localizedShortTitle: String {
        get { stateLock.withLock { shortTitle } }
        set { stateLock.withLock { shortTitle = newValue } }
    }
}
