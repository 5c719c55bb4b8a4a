import CFFmpeg
import Dispatch
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import FFmpeg

// Rule: hardware
/// Frames on a device are read back with libav's functions (`MemoryDevice`).
@Suite("Frames on a device", .enabled(if: Fixture.areThere, "make fixtures"))
struct SurfaceTests {
    private func frames(_ clip: String, count: Int = 3) throws -> [VideoFrame] {
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: Fixture.path(clip)), .video)
        )
        var frames: [VideoFrame] = []
        while frames.count < count, let packet = try session.demuxer.read().get() {
            while try !session.decoder.send(packet) {}
            while case .video(let frame) = try session.decoder.receive() { frames.append(frame) }
        }
        return Array(frames.prefix(count))
    }

    private func format(_ frame: VideoFrame) throws -> AVPixelFormat {
        AVPixelFormat(try #require(frame.storage as? FFmpegVideoStorage).frame.pointer.pointee.format)
    }

    @Test("nv12 is read back as yuv420p and p010 as yuv420p10le, bit by bit, cropped to the visible part")
    func formats() throws {
        let memory = try MemoryDevice()
        var seen: Set<PixelFormat> = []
        for clip in ["clip-h264-aac.mp4", "anamorphic.mp4"] {
            for frame in try frames(clip) {
                for (margin, depth) in [(0, 8), (8, 8), (0, 10), (6, 10)] {
                    let target: PixelFormat = depth == 10 ? .yuv420p10le : .yuv420p
                    let source = try FFmpegVideoConverter().convert(frame, to: target, size: frame.size)
                    let surface = try Surface(
                        memory.upload(source, margin: margin),
                        on: memory.device,
                        as: format(source)
                    )
                    #expect(surface.view.width == Int32(frame.size.width))
                    #expect(surface.view.height == Int32(frame.size.height))
                    var back = source
                    back.storage = FFmpegVideoStorage(try surface.download())
                    #expect(FrameDigest.digest(of: back) == FrameDigest.digest(of: source))
                    seen.insert(target)
                }
            }
        }
        #expect(seen.count == 2)
    }

    @Test("A frame that cannot be read back without loss throws an error before it is delivered")
    func refused() throws {
        let memory = try MemoryDevice()
        let frame = try #require(try frames("clip-h264-aac.mp4", count: 1).first)
        let surface = try memory.upload(frame)
        let error = #expect(throws: MediaError.self) {
            try Surface(surface, on: memory.device, as: AV_PIX_FMT_YUV444P)
        }
        #expect(error?.code == .hardwareUnavailable)
        #expect(error?.message == "memory produces nv12, not yuv444p")
        #expect(SurfaceLayout(AV_PIX_FMT_P010LE, to: AV_PIX_FMT_YUV420P) == nil)
        #expect(SurfaceLayout(AV_PIX_FMT_NV12, to: AV_PIX_FMT_YUVJ420P) != nil)
        #expect(SurfaceLayout(AV_PIX_FMT_YUV420P, to: AV_PIX_FMT_YUVJ420P) != nil)
        #expect(SurfaceLayout(AV_PIX_FMT_NV21, to: AV_PIX_FMT_YUV420P) != nil)
        #expect(SurfaceLayout(AV_PIX_FMT_P010BE, to: AV_PIX_FMT_YUV420P10LE) == nil)
    }

    private func storage(
        _ frame: VideoFrame,
        _ memory: MemoryDevice,
        onFailure: @escaping @Sendable (MediaError) -> Void = { _ in }
    ) throws -> SurfaceStorage {
        let surface = try Surface(memory.upload(frame), on: memory.device, as: format(frame))
        return SurfaceStorage(
            surface.view,
            byteCount: surface.byteCount,
            download: { () throws(MediaError) in
                memory.readCount.withLock { $0 += 1 }
                if memory.isLost.withLock({ $0 }) { throw MediaError(.hardwareUnavailable, "it is gone") }
                return try surface.download()
            },
            onFailure: onFailure
        )
    }

    @Test("A frame is read back when its pixels are read, once for any number of threads")
    func once() throws {
        let memory = try MemoryDevice()
        let frame = try #require(try frames("clip-h264-aac.mp4", count: 1).first)
        let expected = FrameDigest.digest(of: frame)
        var copy = frame
        copy.storage = try storage(frame, memory)
        #expect(copy.storage.byteCount == frame.size.width * frame.size.height * 3 / 2)
        #expect(memory.readCount.withLock { $0 } == 0)
        let (shared, wrong) = (copy, Locked(0))
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            if FrameDigest.digest(of: shared) != expected { wrong.withLock { $0 += 1 } }
        }
        #expect(wrong.withLock { $0 } == 0)
        #expect(memory.readCount.withLock { $0 } == 1)
        // A conversion needs the same pixels.
        let small = try FFmpegVideoConverter().convert(
            copy,
            to: .rgba,
            size: PixelSize(width: 64, height: 36)
        )
        let reference = try FFmpegVideoConverter().convert(
            frame,
            to: .rgba,
            size: PixelSize(width: 64, height: 36)
        )
        #expect(FrameDigest.digest(of: small) == FrameDigest.digest(of: reference))
        #expect(memory.readCount.withLock { $0 } == 1)
    }

    @Test("At most eight frames stay on a device; the oldest are copied to memory unless they were released")
    func budget() throws {
        let memory = try MemoryDevice()
        let frame = try #require(try frames("clip-h264-aac.mp4", count: 1).first)
        var budget = SurfaceBudget()
        var held: [SurfaceStorage] = []
        for _ in 0..<12 {
            let next = try storage(frame, memory)
            budget.admit(next)
            held.append(next)
        }
        #expect(
            held.map(\.isOnDevice) == [Bool](repeating: false, count: 4) + [Bool](repeating: true, count: 8)
        )
        held.removeAll()
        for _ in 0..<20 { budget.admit(try storage(frame, memory)) }
        #expect(memory.readCount.withLock { $0 } == 4)
    }

    @Test("A frame that is lost with its device is black, keeps its size, and is reported once")
    func lost() throws {
        let memory = try MemoryDevice()
        let frame = try #require(try frames("clip-h264-aac.mp4", count: 1).first)
        let errors = Locked<[MediaError]>([])
        var copy = frame
        copy.storage = try storage(frame, memory) { error in errors.withLock { $0.append(error) } }
        memory.isLost.withLock { $0 = true }
        for _ in 0..<2 {
            let sizes = copy.withPlanes { $0.map { $0.bytesUsedPerRow * $0.rowCount } }
            #expect(sizes == frame.withPlanes { $0.map { $0.bytesUsedPerRow * $0.rowCount } })
            let corners = copy.withPlanes { $0.map { $0.baseAddress.load(as: UInt8.self) } }
            #expect(corners == [16, 128, 128])
        }
        #expect(errors.withLock { $0.map(\.message) } == ["it is gone"])
    }

    @Test("Interlaced frames of a device are deinterlaced like frames in memory")
    func deinterlaced() throws {
        let memory = try MemoryDevice()
        let frames = try frames("interlaced-h264.mp4", count: 6)
        let copies = try frames.map { frame in
            var copy = frame
            copy.storage = try storage(frame, memory)
            return copy
        }
        let (one, other) = (FFmpegDeinterlacer(), FFmpegDeinterlacer())
        for index in 1..<5 {
            let plain = try one.deinterlace(
                frames[index],
                previous: frames[index - 1],
                next: frames[index + 1]
            )
            let made = try other.deinterlace(
                copies[index],
                previous: copies[index - 1],
                next: copies[index + 1]
            )
            #expect(FrameDigest.digest(of: made) == FrameDigest.digest(of: plain))
        }
        #expect(memory.readCount.withLock { $0 } == 6)
    }
}
