import CFFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import FFmpeg

// Rule: memory
@Suite(.enabled(if: Fixture.areThere, "make fixtures"))
struct PictureMemoryTests {
    private func play(_ session: Playthrough.Session) throws -> [VideoFrame] {
        var frames: [VideoFrame] = []
        func receive() throws {
            while case .video(let frame) = try session.decoder.receive() { frames.append(frame) }
        }
        while let packet = try session.demuxer.read().get() {
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

    @Test("An idle decoder holds no codec context, and resumes like a new one")
    func rests() throws {
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: Fixture.path("clip-h264-aac.mp4")), .video)
        )
        let decoder = try #require(session.decoder as? FFmpegDecoder)
        #expect(decoder.isOpen)
        let first = session.play()
        #expect(decoder.isOpen)
        decoder.flush()
        #expect(!decoder.isOpen)
        guard case .needsInput = try decoder.receive() else {
            Issue.record("it has nothing to give")
            return
        }
        // Only the end of the data is sent.
        #expect(try decoder.send(nil))
        guard case .ended = try decoder.receive() else {
            Issue.record("it has ended")
            return
        }
        #expect(!decoder.isOpen)
        for _ in 0..<2 {
            try session.rewind()
            let lap = session.play()
            #expect(lap.frames == first.frames && lap.errors.isEmpty)
            #expect(decoder.isOpen)
        }
    }
}
