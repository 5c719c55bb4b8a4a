import Foundation
import MediaCore
import TestSupport
import Testing

@testable import FFmpeg

@Suite(.enabled(if: Fixture.areThere, "make fixtures"))
struct PictureMemoryTests {
    private func play(_ session: Playthrough.Session) throws -> [VideoFrame] {
        var frames: [VideoFrame] = []
        func receive() throws {
            while case .video(let frame) = try session.decoder.receive() { frames.append(frame) }
        }
        while let packet = try session.demuxer.read() {
            while try !session.decoder.send(packet) { try receive() }
            try receive()
        }
        while try !session.decoder.send(nil) { try receive() }
        try receive()
        return frames
    }

    private func hash(_ frame: VideoFrame) -> String {
        let digest = FrameDigest()
        withPackedRows(of: frame) { digest.update($0) }
        return digest.finish()
    }

    @Test func aPictureOutlivesItsDecoder() throws {
        var session = try Playthrough.Session(
            OpenRequest(location: Fixture.path("clip-h264-aac.mp4")),
            .video
        )
        let frames = try play(#require(session))
        let before = frames.map(hash)
        for frame in frames {
            frame.withPlanes { for plane in $0 { #expect(Int(bitPattern: plane.baseAddress) % 64 == 0) } }
        }
        session = nil
        #expect(frames.map(hash) == before)
        #expect(Set(before).count > 1)
    }
}
