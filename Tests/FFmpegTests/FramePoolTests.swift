import CFFmpeg
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

    @Test("A decoder that rests holds no codec context, and begins as a new one")
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
        // Nothing but the end of the data.
        #expect(try decoder.send(nil))
        guard case .ended = try decoder.receive() else {
            Issue.record("it has ended")
            return
        }
        #expect(!decoder.isOpen)
        for _ in 0..<2 {
            try session.rewind()
            let lap = session.play()
            #expect(lap.pictures == first.pictures && lap.errors.isEmpty)
            #expect(decoder.isOpen)
        }
    }
}

/// Sixteen pieces a slab, of a page each.
@Suite("Memory of frames goes back to the system")
struct SlabSupplyTests {
    private static let slab = 16 * 4096

    private func take(_ count: Int, of supply: SlabSupply) throws -> [UnsafeMutablePointer<AVBufferRef>] {
        try (0..<count).map { _ in try #require(supply.next()) }
    }

    private func release(_ buffers: some Sequence<UnsafeMutablePointer<AVBufferRef>>) {
        for buffer in buffers {
            var buffer: UnsafeMutablePointer<AVBufferRef>? = buffer
            av_buffer_unref(&buffer)
        }
    }

    @Test func onlyWhatIsLikelyToBeNeededStays() throws {
        let supply = SlabSupply(pieceSize: 4096)
        defer { supply.close() }
        #expect(supply.byteCount == 0)
        let lap = try take(200, of: supply)
        #expect(supply.byteCount == 13 * Self.slab)
        release(lap)
        // Without one of the two there would be fewer than `mostSpare`.
        #expect(supply.byteCount == 2 * Self.slab)
        // A seek lets go of everything, and what follows takes the same again.
        for _ in 0..<10 {
            let frames = try take(32, of: supply)
            #expect(supply.byteCount == 2 * Self.slab)
            release(frames)
        }
        #expect(supply.byteCount == 2 * Self.slab)
    }

    @Test func theOldestSlabServesFirst() throws {
        let supply = SlabSupply(pieceSize: 4096)
        defer { supply.close() }
        var frames = try take(64, of: supply)
        let early = frames[..<8].compactMap(\.pointee.data)
        release(frames[..<8])
        frames.removeFirst(8)
        let again = try take(8, of: supply)
        #expect(Set(again.compactMap(\.pointee.data)) == Set(early))
        // A decoder plays on with few frames, each from the place that was let go of last.
        for _ in 0..<100 {
            let next = try take(1, of: supply)
            release(next)
        }
        release(frames)
        release(again)
        #expect(supply.byteCount <= 3 * Self.slab)
    }

    @Test func aFrameOutlivesItsPool() throws {
        var supply: SlabSupply? = SlabSupply(pieceSize: 4096)
        let frames = try take(3, of: #require(supply))
        for (index, frame) in frames.enumerated() { frame.pointee.data[0] = UInt8(index) }
        supply?.close()
        #expect(supply?.byteCount == 0)
        supply = nil
        #expect(frames.map { $0.pointee.data[0] } == [0, 1, 2])
        release(frames)
    }
}
