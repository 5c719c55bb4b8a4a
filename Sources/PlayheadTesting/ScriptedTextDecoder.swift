import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Says what the script has.
final class ScriptedTextDecoder: TextDecoder {
    private let media: ScriptedMedia

    init(_ media: ScriptedMedia) { self.media = media }

    func decode(_ packet: Packet) throws(MediaError) -> [TextCue] {
        guard let payload = packet.payload as? ScriptedPayload, let start = packet.presentationTime,
            media.texts.indices.contains(payload.index)
        else { return [] }
        let range = MediaTimeRange(start: start, duration: packet.duration ?? .indefinite)
        return [TextCue(text: media.texts[payload.index].words, timeRange: range, track: packet.track)]
    }

    func flush() {}
}
