package import MediaCore

/// What the state knows of the current item.
package struct ItemState: Hashable, Sendable {
    package let id: ItemID
    package internal(set) var status: PlayerItemStatus = .unknown
    package internal(set) var error: MediaError?
    package internal(set) var duration: MediaTime = .indefinite
    /// It has frames that can be sought.
    package internal(set) var canPlayReverse = false
    package internal(set) var level: BufferLevel = .empty
    /// The first frame of the current epoch has reached the sinks, and no seek is under way.
    package internal(set) var hasFirstFrame = false
    /// The end of the pass was reached and nothing has moved since.
    package internal(set) var hasEnded = false
    /// Why the pass ended early, if it did: asked to play on, it has failed still.
    var endError: MediaError?
    /// A loop of what was played would go round for ever and show nothing.
    var lapIsTooShort = false
    /// All data of the current pass has been read.
    var isReadToEnd = false
    /// The data ran out while playing and has not come back.
    package internal(set) var isStalled = false
    /// Frames are being stepped over, the last of which will be shown: time stands until then.
    package internal(set) var isStepping = false
    /// Steps asked for, forward or backward, while others or a seek are under way.
    package internal(set) var stepsWaiting = 0
    /// Its end was moved on after it was reached, and the frames behind it are on their way.
    package internal(set) var awaitsFrames = false
    var seekInFlight: SeekRequest?
    /// The newest call that came while another was in flight; earlier ones were answered false.
    var seekWaiting: SeekRequest?

    init(id: ItemID) { self.id = id }

    /// It cannot be played, or stands where playing it had to end early.
    var hasFailed: Bool { status == .failed || hasEnded && endError != nil }

    /// The time that `currentTime()` answers while a seek is under way.
    package var seekTarget: MediaTime? {
        guard let target = (seekWaiting ?? seekInFlight)?.target else { return nil }
        return duration.isNumeric ? min(target, duration) : target
    }
}
