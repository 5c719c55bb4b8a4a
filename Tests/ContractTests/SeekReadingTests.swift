import FFmpeg
import MediaCore
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

/// Tests that a seek reads only at its target, and not the bytes in between, which may arrive much later.
@Suite(
    "Contract: a seek needs no bytes between its start and its target",
    .enabled(if: Fixture.areThere, "make fixtures")
)
struct SeekReadingTests {
    /// Files that are read from start to end, with an index that is known from the start.
    static let files = ["clip-h264-aac.mp4", "clip-hevc-aac.mp4", "clip-vp9-opus.webm", "two-languages.mkv"]

    /// A scripted source that also reports how far it has been read.
    private final class Recorder: ByteSource {
        let script: ScriptedByteSource
        private let furthest = Locked<Int64>(0)

        init(_ script: ScriptedByteSource) { self.script = script }

        var end: Int64 { furthest.withLock { $0 } }
        var byteCount: Int64? { script.byteCount }
        var isSeekable: Bool { true }

        func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
            try read(at: offset, into: buffer, context: ReadContext())
        }

        func read(
            at offset: Int64,
            into buffer: UnsafeMutableRawBufferPointer,
            context: ReadContext
        ) throws(MediaError) -> Int {
            let count = try script.read(at: offset, into: buffer, context: context)
            // Reads of an index at the end of a file do not count.
            let middle = Int64(Double(script.byteCount ?? 0) * 0.55)
            if offset < middle { furthest.withLock { $0 = max($0, offset + Int64(count)) } }
            return count
        }

        func cancel() { script.cancel() }
    }

    /// Reads the first part of a file, or all of it, without any wait. After that the middle part is withheld.
    private static func seek(_ file: String, fromEnd: Bool) throws -> (time: MediaTime?, waits: Int) {
        let script = try ScriptedByteSource(contentsOfFile: Fixture.path(file))
        script.limitReads(to: 2048)
        let source = Recorder(script)
        let size = Double(script.byteCount ?? 0)
        let demuxer = FFmpegDemuxer(OpenRequest(location: file, source: source))
        defer { demuxer.cancel() }
        // A waiting read is ended, so that the test fails instead of hanging.
        demuxer.setNoticeHandler { [weak demuxer] notice in
            if notice == .waiting { demuxer?.interrupt(before: Epoch(2)) }
        }
        demuxer.begin(Epoch(1))
        _ = try demuxer.open().get()
        while fromEnd || Double(source.end) < 0.36 * size {
            guard try demuxer.read().get() != nil else { break }
        }
        try #require(fromEnd || Double(source.end) < 0.45 * size)
        script.hold((fromEnd ? Int64(HangScene.middle.lowerBound * size) : source.end)..<Int64(0.55 * size))
        try demuxer.seek(to: .ms(2100), preference: .atOrBefore).get()
        return (try demuxer.read().get()?.presentationTime, script.counts.waits)
    }

    @Test("A short seek forward works in a reader that has never waited", arguments: files)
    func ahead(_ file: String) throws {
        let result = try Self.seek(file, fromEnd: false)
        #expect(result.waits == 0)
        #expect(try #require(result.time) >= .ms(1900))
    }

    @Test("A short seek back works in a reader that has never waited", arguments: files)
    func back(_ file: String) throws {
        let result = try Self.seek(file, fromEnd: true)
        #expect(result.waits == 0)
        #expect(try #require(result.time) >= .ms(1900))
    }
}
