package import MediaCore
import PlayheadBackend

/// Where an epoch begins.
package struct EpochStart: Hashable, Sendable {
    package var epoch: Epoch
    /// Nothing that ends before this is wanted; the frame due then is the first. nil: whatever comes first.
    package var firstWanted: MediaTime?
    /// Where to send the demuxer; nil leaves it where it is (freshly opened).
    package var demuxTarget: MediaTime?
    /// FirstFrame late is not mended any more: there is no earlier place to try.
    package var isLastAttempt: Bool
    /// Frames are delivered from `firstWanted` backward; there is no audio.
    package var isReverse: Bool

    package init(
        epoch: Epoch,
        firstWanted: MediaTime? = nil,
        demuxTarget: MediaTime? = nil,
        isLastAttempt: Bool = true,
        isReverse: Bool = false
    ) {
        self.epoch = epoch
        self.firstWanted = firstWanted
        self.demuxTarget = demuxTarget
        self.isLastAttempt = isLastAttempt
        self.isReverse = isReverse
    }
}
