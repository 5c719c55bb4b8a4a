internal import CFFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import FFmpeg

/// A source that delivers small pieces, chosen from a seed. About every second read finds no bytes; they are available
/// at the next call.
private final class PiecewiseSource: ByteSource {
    private struct State {
        var random: Seeded
        var waits = 0
        /// The range of bytes that are withheld.
        var held = Range<Int64>(uncheckedBounds: (0, 0))
        var waiting: ReadContext?
        /// Whether the waiting reader has been woken.
        var mayRead = true
    }

    private struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11 ^ state << 31
        }
    }

    private let bytes: [UInt8]
    private let wakesAtOnce: Bool
    private let state: Locked<State>
    let isSeekable: Bool
    var isLocal: Bool { false }
    var byteCount: Int64? { Int64(bytes.count) }

    /// Creates a source. With `wakesAtOnce`, a reader is woken before its read has returned.
    init(_ bytes: [UInt8], seed: UInt64, isSeekable: Bool = true, wakesAtOnce: Bool = false) {
        self.bytes = bytes
        self.wakesAtOnce = wakesAtOnce
        self.isSeekable = isSeekable
        state = Locked(State(random: Seeded(state: seed)))
    }

    var waits: Int { state.withLock { $0.waits } }
    func hold(_ part: Range<Double>) {
        let size = Double(bytes.count)
        state.withLock { $0.held = Int64(part.lowerBound * size)..<Int64(part.upperBound * size) }
    }

    func close() {
        let context = state.withLock { state in
            state.mayRead = true
            return state.waiting
        }
        context?.wake()
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        throw MediaError(.io, "only with a context")
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        let most = state.withLock { state -> Int? in
            if state.held.contains(offset) || !state.mayRead && Bool.random(using: &state.random) {
                state.waits += 1
                state.waiting = context
                return nil
            }
            state.mayRead = false
            let most = Int.random(in: 1...20_000, using: &state.random)
            return offset < state.held.lowerBound ? min(most, Int(state.held.lowerBound - offset)) : most
        }
        guard let most else {
            if wakesAtOnce { close() }
            throw MediaError(.notReady, "not yet", isRetryable: true)
        }
        guard offset >= 0, offset < Int64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(min(most, buffer.count))
        buffer.copyBytes(from: part)
        return part.count
    }

    func cancel() {}
}

/// All visible properties of a packet.
private struct PacketFacts: Equatable {
    var track: Int
    var times: [MediaTime?]
    var isKeyFrame: Bool
    var bytes: [UInt8]

    init(_ packet: Packet) {
        track = packet.track
        times = [packet.presentationTime, packet.decodeTime, packet.duration]
        isKeyFrame = packet.isKeyFrame
        let raw = (packet.payload as? FFmpegPacketPayload)?.owner.pointer.pointee
        bytes = Array(UnsafeBufferPointer(start: raw?.data, count: Int(raw?.size ?? 0)))
    }
}

@Suite(
    "Calls of a demuxer that occupy no thread while they wait",
    .enabled(if: Corpus.isPresent, Corpus.hint)
)
struct FiberDemuxerTests {
    /// The smallest file of each container format in each folder, so that every codec whose streams need an analysis is
    /// included.
    static let entries: [CorpusEntry] = {
        var smallest: [String: (size: Int, entry: CorpusEntry)] = [:]
        for entry in Corpus.entries where !entry.path.hasSuffix(".m3u8") && !entry.path.hasPrefix("hls") {
            let url = URL(fileURLWithPath: entry.location)
            guard let size = (try? url.resourceValues(forKeys: [.fileSizeKey]))?.fileSize, size < 4 << 20
            else {
                continue
            }
            let kind = "\(entry.path.prefix { $0 != "/" }).\(url.pathExtension)"
            if smallest[kind].map({ size < $0.size }) ?? true { smallest[kind] = (size, entry) }
        }
        return smallest.values.map(\.entry).sorted { $0.path < $1.path }
    }()

    /// Repeats a call until it is no longer pending, each time on another thread.
    private func finish<Value: Sendable>(
        _ source: PiecewiseSource,
        _ body: @escaping @Sendable () throws(MediaError) -> Poll<Value>
    ) throws -> Value {
        for _ in 0..<20_000 {
            let box = Locked<Result<Poll<Value>, MediaError>?>(nil)
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let result = Result(catching: body)
                box.withLock { $0 = result }
                done.signal()
            }
            done.wait()
            switch box.withLock({ $0 }) {
            case .success(.ready(let value)): return value
            case .success(.pending): source.close()
            case .failure(let error): throw error
            case nil: throw MediaError(.unknown, "no result")
            }
        }
        throw MediaError(.timedOut, "it waits for ever")
    }

    private func packets(
        _ demuxer: any Demuxer,
        _ source: PiecewiseSource?,
        upTo count: Int
    ) throws -> [PacketFacts] {
        var result: [PacketFacts] = []
        while result.count < count {
            let next =
                try source.map { try finish($0) { () throws(MediaError) in try demuxer.read() } }
                ?? demuxer.read().get()
            guard let next else { break }
            result.append(PacketFacts(next))
        }
        return result
    }

    @Test("A call that is suspended repeatedly returns the same as a call that waits", arguments: entries)
    func sameAsWaiting(_ entry: CorpusEntry) throws {
        let bytes = try #require(Corpus.readBytes(entry.location))
        let patient = PiecewiseSource(bytes, seed: 1, wakesAtOnce: true)
        var request = OpenRequest(location: entry.location, source: patient)
        request.options.usesBlockingReads = true
        let plain = FFmpegDemuxer(request)
        let source = PiecewiseSource(bytes, seed: UInt64(bytes.count))
        let suspendableRequest = OpenRequest(location: entry.location, source: source)
        let demuxer = FiberDemuxer(FFmpegDemuxer(suspendableRequest), for: suspendableRequest)
        demuxer.setNoticeHandler { _ in }
        let expected = Result { () throws(MediaError) in try plain.open().get() }
        let found = Result { try finish(source) { () throws(MediaError) in try demuxer.open() } }
        guard case .success(let description) = found, case .success(let reference) = expected else {
            #expect((try? found.get()) == nil && (try? expected.get()) == nil)
            return
        }
        #expect(description == reference)
        #expect(try packets(demuxer, source, upTo: 60) == packets(plain, nil, upTo: 60))
        guard reference.isSeekable else { return }
        let duration = reference.duration.isNumeric ? reference.duration.seconds : 4
        for part in [0.7, 0.3, 0] {
            let target = MediaTime(seconds: duration * part, preferredTimescale: 1000)
            try plain.seek(to: target, preference: .atOrBefore).get()
            try finish(source) { () throws(MediaError) in
                try demuxer.seek(to: target, preference: .atOrBefore)
            }
            #expect(try packets(demuxer, source, upTo: 12) == packets(plain, nil, upTo: 12))
        }
    }

    @Test("A seek in Ogg finds the same page as in a local file if its bytes arrive in pieces")
    func oggPages() throws {
        let entry = try #require(Corpus.entries.first { $0.path == "audio/vorbis.ogg" })
        let bytes = try #require(Corpus.readBytes(entry.location))
        let local = FFmpegDemuxer(OpenRequest(location: entry.location))
        let source = PiecewiseSource(bytes, seed: 1)
        let request = OpenRequest(location: entry.location, source: source)
        let demuxer = FiberDemuxer(FFmpegDemuxer(request), for: request)
        demuxer.setNoticeHandler { _ in }
        _ = try local.open().get()
        _ = try finish(source) { () throws(MediaError) in try demuxer.open() }
        for target in [MediaTime.ms(2200), .ms(1300), .ms(2600)] {
            try local.seek(to: target, preference: .atOrBefore).get()
            try finish(source) { () throws(MediaError) in
                try demuxer.seek(to: target, preference: .atOrBefore)
            }
            let found = try packets(demuxer, source, upTo: 12)
            #expect(try found == packets(local, nil, upTo: 12))
            #expect(found.first?.times.first != .some(.ms(0)))
        }
    }

    private static let clip = "h264/aac-1080x720-bframes.mp4"

    private func make(
        _ source: PiecewiseSource,
        listens: Bool = true,
        usesBlockingReads: Bool = false
    ) -> (FiberDemuxer, Locked<Int>) {
        var request = OpenRequest(location: "clip.mp4", source: source)
        request.options.usesBlockingReads = usesBlockingReads
        let demuxer = FiberDemuxer(FFmpegDemuxer(request), for: request)
        let notices = Locked(0)
        if listens { demuxer.setNoticeHandler { if $0 == .ready { notices.withLock { $0 += 1 } } } }
        return (demuxer, notices)
    }

    private func source(held: Range<Double>? = nil, seed: UInt64 = 7) throws -> PiecewiseSource {
        let bytes = try #require(Corpus.readBytes(Corpus.entry(Self.clip).location))
        let source = PiecewiseSource(bytes, seed: seed)
        if let held { source.hold(held) }
        return source
    }

    @Test("A seek abandons a suspended read and reaches its target")
    func seekInstead() throws {
        let source = try source()
        let (demuxer, _) = make(source)
        _ = try finish(source) { () throws(MediaError) in try demuxer.open() }
        source.hold(0.4..<0.6)
        // The read never finds its bytes, however often it is repeated.
        var refusals = 0
        while refusals < 10 {
            guard case .pending = try demuxer.read() else {
                refusals = 0
                continue
            }
            refusals += 1
            source.close()
        }
        demuxer.begin(Epoch(3))
        demuxer.interrupt(before: Epoch(3))
        try finish(source) { () throws(MediaError) in try demuxer.seek(to: .zero, preference: .atOrBefore) }
        let first = try finish(source) { () throws(MediaError) in try demuxer.read() }
        #expect(first?.presentationTime == .zero)
    }

    @Test("Cancelling a suspended open releases its source")
    func cancelled() async throws {
        weak var gone: PiecewiseSource?
        do {
            let source = try source(held: 0.0001..<1)
            gone = source
            let (demuxer, notices) = make(source)
            for _ in 0..<3 {
                #expect(try demuxer.open().value == nil)
                source.close()
            }
            #expect(notices.withLock { $0 } >= 1)
            demuxer.cancel()
            let error = #expect(throws: MediaError.self) { try demuxer.open() }
            #expect(error?.code == .cancelled)
        }
        FiberDemuxer.waitForAbandonedCalls()
        #expect(gone == nil)
    }

    @Test("Releasing the demuxer ends its suspended call")
    func dropped() throws {
        weak var gone: PiecewiseSource?
        do {
            let source = try source(held: 0.0001..<1)
            gone = source
            let (demuxer, _) = make(source)
            #expect(try demuxer.open().value == nil)
        }
        FiberDemuxer.waitForAbandonedCalls()
        #expect(gone == nil)
    }

    @Test("A demuxer can be cancelled at any time from another thread")
    func cancelledAnywhere() throws {
        for seed in 0..<60 as Range<UInt64> {
            let source = try source(seed: seed)
            let (demuxer, _) = make(source)
            let calls = Locked(0)
            let over = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                // The call is cancelled after a number of calls given by the seed, at an arbitrary point of the reader.
                while calls.withLock({ $0 }) < Int(seed) { sched_yield() }
                demuxer.cancel()
                over.signal()
            }
            let error = #expect(throws: MediaError.self) {
                _ = try finish(source) { () throws(MediaError) in
                    calls.withLock { $0 += 1 }
                    return try demuxer.open()
                }
                while true {
                    _ = try finish(source) { () throws(MediaError) in
                        calls.withLock { $0 += 1 }
                        return try demuxer.read()
                    }
                    try finish(source) { () throws(MediaError) in
                        try demuxer.seek(to: .zero, preference: .atOrBefore)
                    }
                }
            }
            over.wait()
            #expect(error?.code == .cancelled)
        }
        FiberDemuxer.waitForAbandonedCalls()
    }

    @Test("Without a notice handler a call waits, as it does on a virtual clock")
    func waits() throws {
        let bytes = try #require(Corpus.readBytes(Corpus.entry(Self.clip).location))
        for listens in [true, false] {
            let source = PiecewiseSource(bytes, seed: 3, wakesAtOnce: true)
            let (demuxer, _) = make(source, listens: listens, usesBlockingReads: listens)
            #expect(try demuxer.open().get().tracks.count == 2)
            #expect(source.waits > 0)
        }
    }
}
