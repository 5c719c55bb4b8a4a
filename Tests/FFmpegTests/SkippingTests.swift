import FFmpeg
import Foundation
import MediaCore
import TestSupport
import Testing

/// What a decoder leaves out is what it was asked to leave out.
@Suite(.enabled(if: Fixture.areThere, "make fixtures"))
struct SkippingTests {
    private func times(_ skipping: DecodeSkipping) throws -> (shown: [MediaTime], keys: [MediaTime]) {
        let demuxer = FFmpegDemuxer(OpenRequest(location: Fixture.path("clip-h264-aac.mp4")))
        let description = try demuxer.open()
        let track = try #require(description.tracks.first { $0.mediaType == .video }).id
        demuxer.setEnabledTracks([track])
        let decoder = try demuxer.makeDecoder(for: track, options: DecoderOptions())
        decoder.skip(skipping)
        var shown: [MediaTime] = []
        var keys: [MediaTime] = []
        var hasEnded = false
        var held: Packet?
        while !hasEnded {
            switch try decoder.receive() {
            case .video(let frame): shown.append(frame.presentationTime)
            case .audio: break
            case .ended: hasEnded = true
            case .needsInput:
                if held == nil {
                    held = try demuxer.read()
                    if let packet = held, packet.isKeyFrame, let time = packet.presentationTime {
                        keys.append(time)
                    }
                }
                if try decoder.send(held) { held = nil }
            }
        }
        return (shown, keys)
    }

    @Test("Nothing, the pictures that no other refers to, or all but key frames")
    func levels() throws {
        let all = try times(.none).shown
        let some = try times(.nonReference).shown
        let (few, keys) = try times(.allButKeyFrames)
        #expect(few == keys)
        #expect(!keys.isEmpty)
        #expect(some.count < all.count && some.count > few.count)
        #expect(some.allSatisfy { all.contains($0) })
        #expect(some == some.sorted())
    }
}
