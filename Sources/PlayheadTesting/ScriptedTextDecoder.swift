import MediaCore
import PlaybackEngine
import PlayheadBackend

/// A decoder that returns the cues of a script.
final class ScriptedTextDecoder: TextDecoder {
    private let media: ScriptedMedia

    init(_ media: ScriptedMedia) { self.media = media }

    func decode(_ packet: Packet) throws(MediaError) -> [TextCue] {
        guard let payload = packet.payload as? ScriptedPayload, let start = packet.presentationTime,
            media.cues.indices.contains(payload.index)
        else { return [] }
        let range = MediaTimeRange(start: start, duration: packet.duration ?? .indefinite)
        return [TextCue(text: media.cues[payload.index].text, timeRange: range, track: packet.track)]
    }

    func flush() {}
}
