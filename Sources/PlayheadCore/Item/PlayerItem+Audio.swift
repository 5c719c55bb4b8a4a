public import MediaCore
import PlaybackEngine

/// Audio processing of an item. Every setting may be changed at any time, and applies to audio that has not been
/// delivered to the sink: it is heard after about 0.4 s with a device, and after 0.1 s with other sinks.
extension PlayerItem {
    /// The algorithm that adapts audio to rates other than 1. Rates between 0.25 and 4 have audio; higher and lower
    /// rates, and backward playback, are silent. A change causes no audible click.
    public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
        get { state.withLock { $0.audioProcessing.algorithm } }
        set { state.withLock { $0.audioProcessing.algorithm = newValue } }
    }

    /// The volumes of the item's tracks over item time. Nil plays them unchanged. Another mix fades in over 15 ms.
    public var audioMix: AudioMix? {
        get { state.withLock { $0.audioProcessing.mix } }
        set { state.withLock { $0.audioProcessing.mix = newValue } }
    }

    /// Adds an audio tap after those that were added before. Adding it twice has no effect.
    ///
    /// - Parameter tap: The tap that gets the item's audio from now on.
    public func add(_ tap: AudioTap) {
        state.withLock { state in
            if !state.audioProcessing.taps.contains(where: { $0 === tap }) {
                state.audioProcessing.taps.append(tap)
            }
        }
    }

    /// Removes an audio tap. It still gets the audio that is in flight.
    ///
    /// - Parameter tap: The tap to remove.
    public func remove(_ tap: AudioTap) {
        state.withLock { $0.audioProcessing.taps.removeAll { $0 === tap } }
    }

    /// The audio taps in the order in which audio passes through them.
    public var audioTaps: [AudioTap] { state.withLock { $0.audioProcessing.taps } }

    var audioSettings: AudioSettings { state.withLock { $0.audioProcessing } }
}
