import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

/// A demuxer whose calls are often pending first, as a seed determines.
private final class HesitantDemuxer: Demuxer {
    private struct State {
        var random: SplitMix64
        /// The target of the seek that was pending. Only a seek may follow.
        var pendingSeek: MediaTime?
        var readsAfterPendingSeek = 0
    }

    private let base: any Demuxer
    private let state: Locked<State>

    init(_ base: any Demuxer, seed: UInt64) {
        self.base = base
        state = Locked(State(random: SplitMix64(seed)))
    }

    /// The number of reads that followed a pending seek, and would have read at an undefined position.
    var readsAfterPendingSeek: Int { state.withLock { $0.readsAfterPendingSeek } }
    private var hesitates: Bool { state.withLock { Bool.random(using: &$0.random) } }

    func open() throws(MediaError) -> Poll<MediaDescription> { hesitates ? .pending : try base.open() }
    func setEnabledTracks(_ ids: Set<Int>) { base.setEnabledTracks(ids) }

    func read() throws(MediaError) -> Poll<Packet?> {
        state.withLock { if $0.pendingSeek != nil { $0.readsAfterPendingSeek += 1 } }
        return hesitates ? .pending : try base.read()
    }

    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        let isPending = hesitates
        state.withLock { $0.pendingSeek = isPending ? target : nil }
        return isPending ? .pending : try base.seek(to: target, preference: preference)
    }

    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        hesitates ? .pending : try base.makeDecoder(for: track, options: options)
    }

    func cancel() { base.cancel() }
}

@Suite("Still images from a demuxer whose calls are pending")
struct PendingImageTests {
    /// Repeats a call until it has ended.
    private func finish<Value>(_ call: () throws(MediaError) -> Poll<Value>) throws -> Value {
        for _ in 0..<10_000 { if case .ready(let value) = try call() { return value } }
        throw MediaError(.timedOut, "the call is always pending")
    }

    private func reader(_ demuxer: any Demuxer) throws -> ImageReader {
        try finish { () throws(MediaError) in
            try ImageReader.open(demuxer, options: DecoderOptions(), didOpen: { _ in })
        }
    }

    private func image(_ reader: ImageReader, _ request: ImageRequest) throws -> Int? {
        try finish { () throws(MediaError) in try reader.begin(request) }
        while true {
            let found = try finish { () throws(MediaError) in try reader.step() }
            if let frame = found { return frame.scriptedNumber }
        }
    }

    @Test(
        "Pending calls change no image, and nothing is read while a seek is pending",
        arguments: 0..<12 as Range<UInt64>
    )
    func equal(_ seed: UInt64) throws {
        var random = SplitMix64(seed)
        let faults: [ScriptedMedia.Fault] = seed % 2 == 0 ? [] : [.seeksLate(keyFrames: 1)]
        let media = ScriptedMedia(
            video: .init(frameCount: 100, frameRate: 25, keyInterval: 10, bFrames: 2),
            faults: faults
        )
        let driver = ManualDriver()
        let plain = try reader(ScriptedDemuxer(media, driver: driver))
        let hesitant = HesitantDemuxer(ScriptedDemuxer(media, driver: driver), seed: seed)
        let tested = try reader(hesitant)
        for _ in 0..<12 {
            let tolerances: [MediaTime] = [.zero, .ms(200), .positiveInfinity]
            let request = ImageRequest(
                time: .ms(Int64.random(in: 0..<4000, using: &random)),
                toleranceBefore: tolerances.randomElement(using: &random) ?? .zero,
                toleranceAfter: tolerances.randomElement(using: &random) ?? .zero,
                generation: 0
            )
            let expected = try image(plain, request)
            #expect(try image(tested, request) == expected, "\(request)")
        }
        #expect(hesitant.readsAfterPendingSeek == 0)
    }
}
