package import MediaCore
import PlayheadBackend

/// The position and direction in which an epoch begins.
package struct EpochStart: Hashable, Sendable {
    package var epoch: Epoch
    /// The target of an exact start: the frame due at this time is the first one to be shown. If nil, it is the
    /// first frame that is decoded.
    package var firstWanted: MediaTime?
    /// The target of the demuxer's seek, or nil to leave the demuxer where it is after opening.
    package var demuxTarget: MediaTime?
    /// True if no earlier position is left to try, so that a late first frame is accepted.
    package var isLastAttempt: Bool
    /// Whether frames are delivered backward from `firstWanted`, without audio.
    package var isReverse: Bool
    /// Whether a user drags the position. The epoch then delivers no audio if the item has video.
    package var isScrubbing: Bool
    /// The distance from the target to the frame being shown, if a nearer frame is shown before the one at the target is
    /// found. If nil, only the frame at the target is shown.
    package var previewDistance: MediaTime?

    package init(
        epoch: Epoch,
        firstWanted: MediaTime? = nil,
        demuxTarget: MediaTime? = nil,
        isLastAttempt: Bool = true,
        isReverse: Bool = false,
        isScrubbing: Bool = false,
        previewDistance: MediaTime? = nil
    ) {
        self.epoch = epoch
        self.firstWanted = firstWanted
        self.demuxTarget = demuxTarget
        self.isLastAttempt = isLastAttempt
        self.isReverse = isReverse
        self.isScrubbing = isScrubbing
        self.previewDistance = previewDistance
    }
}
