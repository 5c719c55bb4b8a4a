public import MediaCore
import PlaybackEngine

/// What is done to an item's audio. All of it may be changed at any time; it counts for what has not gone to the
/// sink yet, a tenth of a second at most.
extension PlayerItem {
    /// How audio is fitted to rates other than 1. Between 0.25 and 4 there is audio; beyond, and backward,
    /// there is silence. A change is heard without a click.
    public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
        get { state.withLock { $0.sound.algorithm } }
        set { state.withLock { $0.sound.algorithm = newValue } }
    }

    /// Volumes of the item's tracks over item time; nil: as loud as they are. Another mix fades in over 15 ms.
    public var audioMix: AudioMix? {
        get { state.withLock { $0.sound.mix } }
        set { state.withLock { $0.sound.mix = newValue } }
    }

    /// The tap gets the item's audio from now on, behind those that were added before. Twice the same is once.
    public func add(_ tap: AudioTap) {
        state.withLock { state in
            if !state.sound.taps.contains(where: { $0 === tap }) { state.sound.taps.append(tap) }
        }
    }

    /// A tap that is removed gets what is under way to it, and nothing after that.
    public func remove(_ tap: AudioTap) {
        state.withLock { $0.sound.taps.removeAll { $0 === tap } }
    }

    /// In the order in which audio goes through them.
    public var audioTaps: [AudioTap] { state.withLock { $0.sound.taps } }

    var audioSettings: AudioSettings { state.withLock { $0.sound } }
}
