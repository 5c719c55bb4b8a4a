import Playhead
import Testing

@Suite("Contract: supported media types")
struct CapabilityTests {
    @Test(arguments: [
        ("video/mp4", true), ("VIDEO/MP4; codecs=\"avc1.42E01E, mp4a.40.2\"", true),
        ("video/webm; codecs=vp9,opus", true), ("video/mp4; codecs='hvc1.1.6.L93.B0'; profiles=x", true),
        ("audio/mpeg", true), ("audio/mp4; codecs=\"mp4a.6B\"", true), ("audio/wav; codecs=1", true),
        ("video/mp4;", true), ("video/mp4; codecs=\"avc1.42E01E, nosuch\"", false),
        ("audio/mp4; codecs=\"mp4a.99\"", false), ("text/html", false), ("video", false), ("", false),
        ("video/mp4; nonsense", false), ("application/vnd.ms-asf", false),
    ])
    func types(_ type: String, _ isPlayable: Bool) {
        #expect(Asset.isPlayableExtendedMIMEType(type) == isPlayable)
    }

    @Test func lists() {
        #expect(
            Set(["mov", "matroska", "mpegts", "mp3", "wav", "srt"]).isSubset(of: Asset.playableContainers)
        )
        #expect(Set(["h264", "hevc", "vp9", "aac", "opus", "subrip"]).isSubset(of: Asset.playableCodecs))
        // Formats that open devices, networks or other files are never listed.
        #expect(Set(["concat", "rtsp", "hls", "v4l2", "image2"]).isDisjoint(with: Asset.playableContainers))
        #expect(Asset.audiovisualMIMETypes.contains("video/mp4"))
        for type in Asset.audiovisualMIMETypes { #expect(Asset.isPlayableExtendedMIMEType(type)) }
        #expect(Asset.playableCodecs == Asset.playableCodecs.sorted())
    }
}
