import Dispatch
import FFmpeg
import Glibc
import MediaCore
import PlayheadBackend
import Synchronization
import Testing

/// A source that does not return until it is cancelled.
final class StuckSource: ByteSource {
    private let isCancelled = Atomic<Bool>(false)
    let reads = Atomic<Int>(0)
    var byteCount: Int64? { 1 << 30 }
    var isSeekable: Bool { true }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        reads.add(1, ordering: .relaxed)
        // The source blocks a thread deliberately, like a read from a failed disk. Only `cancel` ends it.
        while !isCancelled.load(ordering: .acquiring) { usleep(1000) }
        throw MediaError(.cancelled, "cancelled")
    }

    func cancel() { isCancelled.store(true, ordering: .releasing) }
}

/// A source of bytes in memory that can fail at one offset.
final class MemorySource: ByteSource {
    let bytes: [UInt8]
    let failsAt: Int64?
    let isSeekable: Bool

    init(_ bytes: [UInt8], failsAt: Int64? = nil, isSeekable: Bool = true) {
        self.bytes = bytes
        self.failsAt = failsAt
        self.isSeekable = isSeekable
    }

    var byteCount: Int64? { isSeekable ? Int64(bytes.count) : nil }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        if let failsAt, offset + Int64(buffer.count) > failsAt {
            throw MediaError(.io, "the disk is on fire", isRetryable: true)
        }
        guard offset >= 0, offset < Int64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func cancel() {}
}

struct CancelTests {
    @Test(.timeLimit(.minutes(10)))
    func anOpenThatIsStuckReturns() throws {
        let source = StuckSource()
        let demuxer = FFmpegDemuxer(OpenRequest(location: "stuck.mp4", source: source))
        let done = DispatchSemaphore(value: 0)
        let code = Mutex<MediaError.Code?>(nil)
        DispatchQueue.global().async {
            do throws(MediaError) { _ = try demuxer.open().get() } catch { code.withLock { $0 = error.code } }
            done.signal()
        }
        // libav has no callback that reports that the other thread is inside the read.
        while source.reads.load(ordering: .relaxed) == 0 { usleep(1000) }
        demuxer.cancel()
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(code.withLock { $0 } == .cancelled)
    }

    @Test func cancellingLasts() throws {
        let demuxer = FFmpegDemuxer(OpenRequest(location: "/dev/null/none.mp4"))
        demuxer.cancel()
        demuxer.cancel()
        for _ in 0..<2 {
            let error = #expect(throws: MediaError.self) { try demuxer.open().get() }
            #expect(error?.code == .cancelled)
        }
    }

    @Test(.enabled(if: Corpus.isPresent, Corpus.hint))
    func readsAndSeeksAreRefusedAfterwards() throws {
        let entry = try Corpus.entry("h264/aac-1080x720-bframes.mp4")
        let demuxer = FFmpegDemuxer(OpenRequest(location: entry.location))
        _ = try demuxer.open().get()
        _ = try demuxer.read().get()
        demuxer.cancel()
        let read = #expect(throws: MediaError.self) { try demuxer.read().get() }
        #expect(read?.code == .cancelled)
        let seek = #expect(throws: MediaError.self) {
            try demuxer.seek(to: .zero, preference: .atOrBefore).get()
        }
        #expect(seek?.code == .cancelled)
    }

    @Test(.enabled(if: Corpus.isPresent, Corpus.hint))
    func cancellingWhileReadingNeverCrashes() throws {
        let entry = try Corpus.entry("mpeg/bbb-2.5s-mpeg2-1080-mp2.ts")
        for delay in stride(from: 0, to: 20_000, by: 1000) {
            let demuxer = FFmpegDemuxer(OpenRequest(location: entry.location))
            DispatchQueue.global().async {
                // The delay is real time, because cancelling must work at any time during a real read, and libav does
                // not run on a simulated clock.
                usleep(UInt32(delay))
                demuxer.cancel()
            }
            do throws(MediaError) {
                _ = try demuxer.open().get()
                while true {
                    while try demuxer.read().get() != nil {}
                    try demuxer.seek(to: .zero, preference: .atOrBefore).get()
                }
            } catch {
                #expect(error.code == .cancelled)
            }
        }
    }

    @Test(.enabled(if: Corpus.isPresent, Corpus.hint))
    func theSourcesOwnErrorComesThrough() throws {
        let entry = try Corpus.entry("h264/smpte-1080p25-aac.mp4")
        let bytes = try #require(Corpus.readBytes(entry.location))
        let source = MemorySource(bytes, failsAt: Int64(bytes.count / 2))
        let demuxer = FFmpegDemuxer(OpenRequest(location: "memory.mp4", source: source))
        _ = try demuxer.open().get()
        var count = 0
        let error = #expect(throws: MediaError.self) {
            while try demuxer.read().get() != nil { count += 1 }
        }
        #expect(error?.code == .io)
        #expect(error?.message == "the disk is on fire")
        #expect(count > 10)
    }

    @Test(.enabled(if: Corpus.isPresent, Corpus.hint))
    func aPipePlaysButDoesNotSeek() throws {
        let entry = try Corpus.entry("mpeg/bbb-2.5s-mpeg2-1080-mp2.ts")
        let bytes = try #require(Corpus.readBytes(entry.location))
        let source = MemorySource(bytes, isSeekable: false)
        let demuxer = FFmpegDemuxer(OpenRequest(location: "-", source: source))
        let description = try demuxer.open().get()
        #expect(!description.isSeekable)
        #expect(description.tracks.count == 2)
        #expect(try demuxer.read().get() != nil)
        let error = #expect(throws: MediaError.self) {
            try demuxer.seek(to: .zero, preference: .atOrBefore).get()
        }
        #expect(error?.code == .notSeekable)
    }
}
