import Playhead

extension AVPlayerItem {
    /// The volumes of the item's tracks, as a copy; nil plays them unchanged. A change fades in. It is heard after
    /// about 0.4 s with a device, and after 0.1 s with other sinks.
    nonisolated public var audioMix: AVAudioMix? {
        get { item.audioMix.map { AVAudioMix($0) } }
        set { item.audioMix = newValue?.value }
    }
}
