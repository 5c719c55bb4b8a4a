import Playhead

extension AVPlayerItem {
    /// The volumes of the item's tracks, as a copy; nil plays them unchanged. A change takes effect within a tenth of a
    /// second and fades in.
    nonisolated public var audioMix: AVAudioMix? {
        get { item.audioMix.map { AVAudioMix($0) } }
        set { item.audioMix = newValue?.value }
    }
}
