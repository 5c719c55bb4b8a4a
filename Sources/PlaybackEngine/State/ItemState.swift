package import MediaCore

/// The state of the current item.
package struct ItemState: Hashable, Sendable {
    package let id: ItemID
    package internal(set) var status: PlayerItemStatus = .unknown
    package internal(set) var error: MediaError?
    package internal(set) var duration: MediaTime = .indefinite
    /// A Boolean value that indicates whether the item has video and is seekable, so that it can be played backward.
    package internal(set) var canPlayReverse = false
    package internal(set) var level: BufferLevel = .empty
    /// A Boolean value that indicates whether the first frame of the current epoch has reached the sinks and no seek
    /// is under way.
    package internal(set) var hasFirstFrame = false
    /// A Boolean value that indicates whether the pass has ended and the playback position has not moved since.
    package internal(set) var hasEnded = false
    /// The error that ended the pass early, or nil. While it is set, playing on from the end fails again.
    var endError: MediaError?
    /// A Boolean value that indicates whether the pass is shorter than `minimumLoopDuration`. Looping it would repeat
    /// indefinitely without showing anything.
    var passIsTooShortToLoop = false
    /// A Boolean value that indicates whether all data of the current pass has been read.
    var isReadToEnd = false
    /// A Boolean value that indicates whether the data ran out during playback and playback has not recovered.
    package internal(set) var isStalled = false
    /// A Boolean value that indicates whether frames are being stepped over. The timeline is stopped until the last
    /// of them is shown.
    package internal(set) var isStepping = false
    /// The number of requested steps that wait for other steps or a seek to complete. Negative steps go backward.
    package internal(set) var pendingSteps = 0
    /// A Boolean value that indicates whether the item's end was moved to a later time after it had been reached, and
    /// the frames after it have not arrived.
    package internal(set) var awaitsFrames = false
    var seekInFlight: SeekRequest?
    /// A Boolean value that indicates whether a frame near the target of the seek in flight has been shown.
    var hasPreview = false
    /// The newest seek that was requested while another one was in flight. Earlier ones have completed with
    /// `finished: false`.
    var seekWaiting: SeekRequest?

    init(id: ItemID) { self.id = id }

    /// A Boolean value that indicates whether the item cannot be played, or whether its last pass ended early with an
    /// error.
    var hasFailed: Bool { status == .failed || hasEnded && endError != nil }

    /// The time that `currentTime()` returns while a seek is under way, or nil if there is none.
    package var seekTarget: MediaTime? {
        guard let target = (seekWaiting ?? seekInFlight)?.target else { return nil }
        return duration.isNumeric ? min(target, duration) : target
    }
}
