internal import MediaCore
internal import PlayheadBackend

/// A text decoder whose cues have the track ID of the presentation.
final class NumberedTextDecoder: TextDecoder {
    private let inner: any TextDecoder
    private let track: Int

    init(_ inner: any TextDecoder, track: Int) {
        self.inner = inner
        self.track = track
    }

    func decode(_ packet: Packet) throws(MediaError) -> [TextCue] {
        try inner.decode(packet).map { cue in
            var cue = cue
            cue.track = track
            return cue
        }
    }

    func flush() { inner.flush() }
}
