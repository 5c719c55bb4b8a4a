import CFFmpeg
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import FFmpeg

/// The result for a frame depends only on that frame and its two neighbors.
@Suite("Deinterlacer", .enabled(if: Fixture.areThere, "make fixtures"))
struct DeinterlacerTests {
    private func decode(_ clip: String) throws -> [VideoFrame] {
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: Fixture.path(clip)), .video)
        )
        var frames: [VideoFrame] = []
        func receiveAll() throws {
            while case .video(let frame) = try session.decoder.receive() { frames.append(frame) }
        }
        while let packet = try session.demuxer.read().get() {
            while try !session.decoder.send(packet) { try receiveAll() }
            try receiveAll()
        }
        _ = try session.decoder.send(nil)
        try receiveAll()
        return frames
    }

    private static func neighbour(_ frames: [VideoFrame], _ index: Int) -> VideoFrame? {
        frames.indices.contains(index) ? frames[index] : nil
    }

    @Test(
        "Frames requested in any order are deinterlaced as in a run from the start",
        arguments: [1, 2, 3] as [UInt64]
    )
    func anyOrder(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for clip in ["interlaced-mpeg2.ts", "interlaced-h264.mp4"] {
            let (frames, reference) = (try decode(clip), try Fixture.deinterlaced(clip))
            try #require(frames.count == reference.count)
            let deinterlacer = FFmpegDeinterlacer()
            for _ in 0..<60 {
                // The frames are requested in runs of some length, forward and backward, from random positions.
                let start = Int.random(in: frames.indices, using: &random)
                let step = [1, 1, 1, -1, 2].randomElement(using: &random) ?? 1
                for index in stride(from: start, to: start + step * 4, by: step)
                where frames.indices.contains(index) {
                    let made = try deinterlacer.deinterlace(
                        frames[index],
                        previous: Self.neighbour(frames, index - 1),
                        next: Self.neighbour(frames, index + 1)
                    )
                    #expect(!made.isInterlaced && made.format == frames[index].format)
                    #expect(made.presentationTime == frames[index].presentationTime)
                    #expect(FrameDigest.digest(of: made) == reference[index], "\(clip), frame \(index)")
                }
            }
        }
    }

    @Test("A progressive frame is returned unchanged, and a frame without neighbors is deinterlaced")
    func single() throws {
        let frames = try decode("interlaced-h264.mp4")
        let deinterlacer = FFmpegDeinterlacer()
        var plain = frames[5]
        plain.isInterlaced = false
        #expect(try deinterlacer.deinterlace(plain, previous: nil, next: nil).storage === plain.storage)
        let alone = try deinterlacer.deinterlace(frames[5], previous: nil, next: nil)
        #expect(!alone.isInterlaced && alone.storage !== frames[5].storage)
        // The lines of the earlier field are those that were decoded.
        #expect(Self.rows(alone, 0) == Self.rows(frames[5], 0))
        #expect(Self.rows(alone, 1) != Self.rows(frames[5], 1))
    }

    /// Returns every other row of luma, from `first` on.
    private static func rows(_ frame: VideoFrame, _ first: Int) -> [[UInt8]] {
        frame.withPlanes { planes in
            stride(from: first, to: planes[0].rowCount, by: 2).map { row in
                let start = planes[0].baseAddress + row * planes[0].bytesPerRow
                return Array(UnsafeRawBufferPointer(start: start, count: planes[0].bytesUsedPerRow))
            }
        }
    }

    private func frame(_ format: AVPixelFormat, _ size: PixelSize, like frame: VideoFrame) throws
        -> VideoFrame
    {
        let owner = try FrameOwner(size: size, format: format)
        var frame = frame
        frame.storage = FFmpegVideoStorage(owner)
        frame.format.size = size
        return frame
    }

    @Test("A frame that cannot be deinterlaced throws an error, and the next frame is deinterlaced")
    func refused() throws {
        let (frames, reference) = (
            try decode("interlaced-h264.mp4"), try Fixture.deinterlaced("interlaced-h264.mp4")
        )
        let size = PixelSize(width: 64, height: 64)
        let packed = try frame(AV_PIX_FMT_NV12, size, like: frames[0])
        let tiny = try frame(AV_PIX_FMT_YUV420P, PixelSize(width: 2, height: 2), like: frames[0])
        var foreign = frames[0]
        foreign.storage = ForeignStorage()
        let deinterlacer = FFmpegDeinterlacer()
        for broken in [packed, tiny, foreign] {
            let error = #expect(throws: MediaError.self) {
                try deinterlacer.deinterlace(broken, previous: frames[0], next: frames[1])
            }
            #expect(error?.code == .conversionFailed && error?.message.isEmpty == false)
            let made = try deinterlacer.deinterlace(frames[1], previous: frames[0], next: frames[2])
            #expect(FrameDigest.digest(of: made) == reference[1])
        }
    }

    @Test("Neighbors of another size or pixel format are ignored")
    func otherShape() throws {
        let frames = try decode("interlaced-h264.mp4")
        let other = try frame(AV_PIX_FMT_YUV420P, PixelSize(width: 64, height: 64), like: frames[0])
        let deinterlacer = FFmpegDeinterlacer()
        let alone = FrameDigest.digest(of: try deinterlacer.deinterlace(frames[5], previous: nil, next: nil))
        let between = try deinterlacer.deinterlace(frames[5], previous: other, next: other)
        #expect(FrameDigest.digest(of: between) == alone)
    }

    @Test("Another library under the name of libavfilter throws an error")
    func otherLibrary() {
        let error = #expect(throws: MediaError.self) { _ = try FilterLibrary(opening: "libc.so.6") }
        #expect(error?.message == "frames stay interlaced: libc.so.6 has no avfilter_version")
    }

    private final class ForeignStorage: VideoFrameStorage {
        var byteCount: Int { 0 }
        func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R { try body([]) }
    }
}
