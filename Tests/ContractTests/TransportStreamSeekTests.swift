import FFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: seeks in MPEG transport streams")
struct TransportStreamSeekTests {
    /// libav seeks to any packet, from which the demuxer reads to the next key frame.
    @Test("If key frames are 1200 packets apart, a seek begins at the one before its target")
    func distantKeyFrames() throws {
        let folder = try TemporaryFolder()
        let source = "-f lavfi -i testsrc2=s=64x48:r=60:d=45"
        let coding =
            "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 1200 -keyint_min 1200 -sc_threshold 0"
        let url = try MadeFile.make("a.ts", in: folder, "\(source) \(coding)")
        let demuxer = FFmpegDemuxer(OpenRequest(location: url.path))
        defer { demuxer.cancel() }
        _ = try demuxer.open().get()
        try demuxer.seek(to: .ms(31_000), preference: .atOrBefore).get()
        let packet = try #require(try demuxer.read().get())
        #expect(packet.isKeyFrame)
        let time = try #require(packet.presentationTime)
        #expect(time > .ms(19_000) && time < .ms(21_000), "\(time)")
    }
}
