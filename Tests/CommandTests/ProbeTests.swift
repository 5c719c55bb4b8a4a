import MediaCore
import Testing

@testable import vplay

@Suite("vplay probe")
struct ProbeTests {
    @Test("Unknown properties of a track are null in JSON, and are not in the text")
    func unknown() {
        var media = MediaDescription(formatName: "hls")
        media.tracks = [
            Track(id: 0, mediaType: .video, codec: "h264", timeBase: Rational(1, 90_000)),
            Track(id: 1, mediaType: .audio, codec: "aac", timeBase: Rational(1, 90_000)),
        ]
        let lines = ProbeText.lines(media, name: "a.m3u8")
        #expect(lines.contains("track 0: video, h264, playable"))
        #expect(lines.contains("track 1: audio, aac, playable"))
        let text = ProbeJSON.object(media, path: "a.m3u8").text
        for name in ["width", "height", "displayWidth", "displayHeight", "sampleRate", "channels"] {
            #expect(text.contains("\"\(name)\":null"), "\(name)")
        }
        media.tracks[1].channelLayout = ChannelLayout(channelCount: 6, name: "")
        #expect(
            ProbeText.lines(media, name: "a.m3u8").contains("track 1: audio, aac, 6 channels, playable")
        )
    }
}
