import FFmpeg
import MediaCore
import PlayheadBackend
import Testing

/// A source of bytes in memory that reports a negative number of bytes.
private final class UncountedSource: ByteSource {
    private let bytes: MemorySource

    init(_ bytes: [UInt8]) { self.bytes = MemorySource(bytes) }

    var byteCount: Int64? { -1 }
    var isSeekable: Bool { true }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try bytes.read(at: offset, into: buffer)
    }

    func cancel() {}
}

@Suite("Faulty sources")
struct FaultySourceTests {
    /// The first bytes of an MP4 file: `ftyp`, and the beginning of a `moov` box of 4096 bytes.
    private static let head: [UInt8] =
        [0, 0, 0, 32] + Array("ftypisom".utf8) + [0, 0, 2, 0] + Array("isomiso2avc1mp41".utf8)
        + [0, 0, 16, 0] + Array("moov".utf8) + [0, 0, 0, 108] + Array("mvhd".utf8)
        + [0, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 3, 232]

    private func errorOfOpening(_ source: any ByteSource) -> MediaError? {
        let demuxer = FFmpegDemuxer(OpenRequest(location: "memory.mp4", source: source))
        return #expect(throws: MediaError.self) { try demuxer.open().get() }
    }

    @Test("A read that fails before the first track is described is the error of opening")
    func failedRead() {
        let bytes = Self.head + [UInt8](repeating: 0, count: 4096)
        #expect(errorOfOpening(MemorySource(bytes, failsAt: Int64(Self.head.count)))?.code == .io)
        // The same bytes without a failure.
        #expect(errorOfOpening(MemorySource(Self.head))?.code == .noPlayableTracks)
    }

    @Test("A negative number of bytes is an unknown one")
    func negativeByteCount() {
        #expect(errorOfOpening(UncountedSource(Self.head))?.code == .noPlayableTracks)
    }
}
