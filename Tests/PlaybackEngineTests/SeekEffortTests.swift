import MediaCore
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

@testable import PlaybackEngine

/// The packets that a seek decodes, and the time at which it finds its frame.
@Suite("Seeks decode no more than necessary")
struct SeekEffortTests {
    /// A clip with a key frame every two seconds, and two non-reference frames between reference frames.
    static let clip = ScriptedMedia(
        video: .init(frameCount: 250, frameRate: 25, keyInterval: 50, bFrames: 2),
        audio: .init(sampleCount: 480_000)
    )

    private func load(
        _ media: ScriptedMedia,
        seed: UInt64? = nil,
        hasFields: Bool = false,
        configure: (inout MediaItem) -> Void = { _ in }
    ) -> (bench: EngineTestBench, effort: Effort) {
        let bench = EngineTestBench(seed: seed)
        let effort = Effort()
        let driver = bench.driver
        var item = MediaItem(makeDemuxer: { _ in
            ObservedDemuxer(ScriptedDemuxer(media, driver: driver), effort, hasFields: hasFields)
        })
        configure(&item)
        let source = MediaItemSource(item)
        bench.loop.perform { $0.setItem(ItemID(1), source) }
        bench.driver.run(atMost: 1)
        return (bench, effort)
    }

    @Test(
        "In a short seek forward, the decoder continues without a flush and receives no packet twice",
        arguments: [nil, 1, 2, 3] as [UInt64?]
    )
    func continuesDecoder(seed: UInt64?) {
        let (bench, effort) = load(Self.clip, seed: seed)
        let before = effort.sent
        bench.seek(1, to: .ms(1000))
        bench.driver.run(atMost: 1)
        bench.seek(2, to: .ms(1500))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, 25, 37])
        #expect(effort.flushes == 0)
        #expect(Set(effort.sent).count == effort.sent.count && before.count < effort.sent.count)
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == [0, 25] + Array(37..<250))
    }

    @Test("The decoder is flushed when the first packet of a seek arrives, not before")
    func flushesLate() {
        let (bench, effort) = load(Self.clip)
        bench.seek(1, to: .ms(7000))
        while effort.flushes == 0, bench.driver.step() {}
        #expect(effort.flushes == 1)
        #expect(bench.backend.counts.seeks == 0)
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, 175])
        #expect(effort.flushes == 1)
    }

    @Test("Non-reference frames before the target are skipped, and none after it")
    func skipsNonReference() {
        let (bench, effort) = load(Self.clip)
        bench.seek(1, to: .ms(3500))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, 87])
        #expect(effort.skipped.count > 15)
        #expect(effort.skipped.allSatisfy { $0 < 87 })
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == [0] + Array(87..<250))
    }

    @Test("Of packets with single fields, a seek skips none", arguments: [false, true])
    func fields(_ hasFields: Bool) throws {
        let (bench, effort) = load(Self.clip, hasFields: hasFields)
        bench.seek(1, to: .ms(3500))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers.last == 87)
        #expect(effort.skipped.isEmpty == hasFields)

        let still = Effort()
        let scripted = ScriptedDemuxer(Self.clip, driver: ManualDriver())
        let demuxer = ObservedDemuxer(scripted, still, hasFields: hasFields)
        let reader = try ImageReader.open(demuxer, options: DecoderOptions(), didOpen: { _ in }).get()
        try reader.begin(ImageRequest(time: .ms(41 * 40), generation: 0)).get()
        var found: VideoFrame?
        while found == nil { found = try reader.step().get() }
        #expect(found?.scriptedNumber == 41)
        #expect(still.skipped.isEmpty == hasFields)
    }

    @Test("Video that only keeps the time is decoded from the key frame before the target on")
    func timekeeper() {
        var media = Self.clip
        media.audio = nil
        let (bench, effort) = load(media) {
            $0.video = .none
            $0.audio = .none
        }
        bench.seek(1, to: .ms(3500))
        bench.driver.run(atMost: 1)
        // The key frame has the number 50, and the frame at the target 87.
        #expect(Set(effort.sent).isSuperset(of: (50...87).map { Int64($0) * 40_000_000 }))
    }

    @Test("A still image decodes no more than necessary, and reads a few packets ahead to determine that")
    func still() throws {
        let effort = Effort()
        let demuxer = ObservedDemuxer(ScriptedDemuxer(Self.clip, driver: ManualDriver()), effort)
        let reader = try ImageReader.open(demuxer, options: DecoderOptions(), didOpen: { _ in }).get()
        func find(_ milliseconds: Int64) throws -> Int? {
            try reader.begin(ImageRequest(time: .ms(milliseconds), generation: 0)).get()
            while true { if let frame = try reader.step().get() { return frame.scriptedNumber } }
        }
        for number in [41, 44, 47] { #expect(try find(Int64(number) * 40) == number) }
        let sent = effort.sent
        // Frame 48 is decoded before 46 and 47. No later packet is needed to determine that 47 is due.
        #expect(sent.max() == .some(48 * 40_000_000))
        #expect(try find(47 * 40 + 39) == 47)
        #expect(effort.sent == sent)
        // Every third frame is a reference frame. No frame is skipped before four have been decoded.
        let skipped = Set(effort.skipped.filter { $0 % 3 != 0 })
        #expect(skipped.isSuperset(of: (7..<38).filter { $0 % 3 != 0 }))
        #expect(skipped.isDisjoint(with: [41, 44, 47]))
    }

    @Test("The first frame is decoded once for all times before it")
    func firstFrame() throws {
        let effort = Effort()
        let media = ScriptedMedia(
            video: .init(frameCount: 50, frameRate: 25, keyInterval: 10, start: .ms(5000))
        )
        let demuxer = ObservedDemuxer(ScriptedDemuxer(media, driver: ManualDriver()), effort)
        let reader = try ImageReader.open(demuxer, options: DecoderOptions(), didOpen: { _ in }).get()
        func find(_ milliseconds: Int64) throws -> Int? {
            try reader.begin(ImageRequest(time: .ms(milliseconds), generation: 0)).get()
            while true { if let frame = try reader.step().get() { return frame.scriptedNumber } }
        }
        #expect(try find(3000) == 0)
        let sent = effort.sent
        for time in [3040, 0, 4999] as [Int64] { #expect(try find(time) == 0) }
        #expect(effort.sent == sent)
        #expect(try find(5040) == 1)
        #expect(try find(6000) == 25)
        #expect(try find(4000) == 0)
    }

    @Test("A still image is found after any number of damaged packets, unless a hundred follow each other")
    func damagedPackets() throws {
        func find(_ number: Int, damaged: some Sequence<Int>) throws -> Int? {
            let media = ScriptedMedia(
                video: .init(frameCount: 2000, frameRate: 25, keyInterval: 2000),
                faults: damaged.map { .undecodable(frame: $0) }
            )
            let demuxer = ScriptedDemuxer(media, driver: ManualDriver())
            let reader = try ImageReader.open(demuxer, options: DecoderOptions(), didOpen: { _ in }).get()
            try reader.begin(ImageRequest(time: .ms(Int64(number) * 40), generation: 0)).get()
            while true { if let frame = try reader.step().get() { return frame.scriptedNumber } }
        }
        #expect(try find(1977, damaged: stride(from: 5, to: 2000, by: 10)) == 1977)
        #expect(throws: MediaError.self) { try find(1977, damaged: 1000..<1100) }
    }

    @Test(
        "The sync point of a time after the end is the last one",
        arguments: [
            (.ms(9_990), 8_000), (.ms(3_600_000), 8_000), (.positiveInfinity, 8_000), (.ms(-1), 0),
        ] as [(MediaTime, Int64)]
    )
    func syncPoints(_ time: MediaTime, _ expected: Int64) throws {
        let demuxer = ScriptedDemuxer(Self.clip, driver: ManualDriver())
        let reader = try ImageReader.open(demuxer, options: DecoderOptions(), didOpen: { _ in }).get()
        #expect(try reader.findSyncPoint(before: time).get() == MediaTime.ms(expected))
    }

    @Test("Any sequence of seeks shows the frame that is due", arguments: (0..<40).samples)
    func random(sample: Int) {
        let (bench, _) = load(Self.clip, seed: UInt64(sample))
        var random = SplitMix64(UInt64(sample))
        var time: Int64 = 0
        for number in 1...12 {
            time =
                Bool.random(using: &random)
                ? Int64.random(in: 0..<10_000, using: &random)
                : min(9_999, time + Int64.random(in: 0..<900, using: &random))
            bench.seek(UInt64(number), to: .ms(time))
            if Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 1..<60, using: &random) { bench.driver.step() }
                continue
            }
            bench.driver.run(atMost: 1)
            #expect(
                bench.videoSink.numbers.last == Int(time / 40),
                "seed \(sample), seek \(number) to \(time) ms"
            )
        }
        bench.driver.run(atMost: 1)
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.suffix(250 - Int(time / 40)).elementsEqual(Int(time / 40)..<250))
    }

    private static func packet(
        _ time: Int64,
        decode: Int64,
        isKeyFrame: Bool = false,
        isDiscarded: Bool = false
    ) -> Packet {
        var packet = Packet(
            track: 0,
            presentationTime: .ms(time),
            decodeTime: .ms(decode),
            duration: nil,
            byteCount: 1,
            isKeyFrame: isKeyFrame,
            payload: NoPayload()
        )
        packet.isDiscarded = isDiscarded
        return packet
    }

    @Test(
        "A decoder continues from a sync point at or after the one at which it started, and from no earlier one"
    )
    func resumption() throws {
        let packets = [(80, 0, true), (40, 40, false), (160, 80, true), (120, 120, false)].map {
            Self.packet($0.0, decode: $0.1, isKeyFrame: $0.2)
        }
        for began in [0, 2] {
            var history = DecoderHistory()
            for packet in packets[began...] { history.send(packet) }
            var steps: [DecoderResumption.Step] = []
            var resumption = try #require(DecoderResumption(history))
            for packet in packets { steps.append(resumption.consume(.packet(packet, pass: 0))) }
            #expect(steps.first == (began == 0 ? .skip : .diverged))
            #expect(steps.last == .reached)
            resumption = try #require(DecoderResumption(history))
            #expect(resumption.consume(.packet(packets[2], pass: 0)) == .skip)
        }
    }

    @Test("A decoder does not continue after packets that could not be read when it decoded the others")
    func resumptionOverGap() throws {
        let packets = [(0, true), (40, false), (80, true), (120, false)].map {
            Self.packet($0.0, decode: $0.0, isKeyFrame: $0.1)
        }
        // Without one packet; without the last key frame as well, at which packets are read again.
        for (lost, begin, number) in [(1..<2, 0, 3), (1..<3, 0, 3), (2..<3, 2, 0)] {
            var history = DecoderHistory()
            for (index, packet) in packets.enumerated() where !lost.contains(index) { history.send(packet) }
            var resumption = try #require(DecoderResumption(history))
            var steps: [DecoderResumption.Step] = []
            for packet in packets[begin...] where steps.last != .diverged {
                steps.append(resumption.consume(.packet(packet, pass: 0)))
            }
            #expect(steps == Array(repeating: .skip, count: number) + [.diverged])
        }
    }

    @Test("The packets identify the due frame when all packets before the target are known")
    func times() {
        var times = SeekTimes(target: .ms(100))
        times.note(Self.packet(0, decode: -40))
        times.note(Self.packet(120, decode: 0))
        times.note(Self.packet(80, decode: 40))
        #expect(!times.isDue(.ms(80)), "one at 90 may follow")
        #expect(!times.endsBeforeTarget(.ms(0)), "the one at 80 may be the second field of a frame at 0")
        times.note(Self.packet(40, decode: 80))
        #expect(times.endsBeforeTarget(.ms(0)) && !times.endsBeforeTarget(.ms(40)))
        times.note(Self.packet(160, decode: 120))
        #expect(times.isDue(.ms(80)) && !times.isDue(.ms(40)) && !times.isDue(.ms(120)))
    }

    @Test("Packets that an edit list leaves out do not determine the due frame")
    func discarded() {
        var times = SeekTimes(target: .ms(500))
        for (time, decode) in [(0, -40), (80, 0), (40, 40)] as [(Int64, Int64)] {
            times.note(Self.packet(time, decode: decode))
        }
        for time in [120, 160, 600] as [Int64] {
            times.note(Self.packet(time, decode: time, isDiscarded: true))
        }
        #expect(!times.endsBeforeTarget(.ms(80)), "no frame is due at 120 and 160")
        #expect(!times.isComplete, "packets of another segment may follow")
        times.noteEnd()
        #expect(times.isDue(.ms(80)))
    }

    @Test("Decode times that a container has invented are considered unreliable")
    func order() {
        var order = PacketOrder()
        order.note(Self.packet(0, decode: 0))
        order.note(Self.packet(120, decode: 120))
        #expect(order.isReliable)
        order.note(Self.packet(40, decode: 40))
        order.reset()
        #expect(!order.isReliable)
        var late = PacketOrder()
        late.note(Self.packet(0, decode: 40))
        #expect(!late.isReliable)
    }
}

private final class NoPayload: PacketPayload {}

/// The calls to the decoder of the video track.
private final class Effort: Sendable {
    private let state = Locked((sent: [Int64](), skipped: [Int](), flushes: 0))
    var sent: [Int64] { state.withLock { $0.sent } }
    /// The numbers of the frames that were sent while non-reference frames were skipped.
    var skipped: [Int] { state.withLock { $0.skipped } }
    var flushes: Int { state.withLock { $0.flushes } }

    func send(_ packet: Packet, _ skipping: DecodeSkipping) {
        let time = packet.presentationTime?.nanoseconds ?? 0
        state.withLock { state in
            state.sent.append(time)
            if skipping == .nonReference { state.skipped.append(Int(time / 40_000_000)) }
        }
    }

    func flush() { state.withLock { $0.flushes += 1 } }
}

private final class ObservedDemuxer: Demuxer {
    private let base: ScriptedDemuxer
    private let effort: Effort
    private let hasFields: Bool

    /// Creates a demuxer. `hasFields` states whether the packets of the video track are fields.
    init(_ base: ScriptedDemuxer, _ effort: Effort, hasFields: Bool = false) {
        self.base = base
        self.effort = effort
        self.hasFields = hasFields
    }

    func open() throws(MediaError) -> Poll<MediaDescription> { try base.open() }
    func setEnabledTracks(_ ids: Set<Int>) { base.setEnabledTracks(ids) }
    func read() throws(MediaError) -> Poll<Packet?> {
        guard case .ready(let next) = try base.read() else { return .pending }
        guard var packet = next else { return .ready(nil) }
        packet.isField = hasFields && packet.track == ScriptedMedia.videoTrack
        return .ready(packet)
    }
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        try base.seek(to: target, preference: preference)
    }
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        try base.makeDecoder(for: track, options: options).map { decoder in
            track == ScriptedMedia.videoTrack ? ObservedDecoder(decoder, effort) : decoder
        }
    }
    func cancel() { base.cancel() }
}

private final class ObservedDecoder: Decoder {
    private let base: any Decoder
    private let effort: Effort
    private let skipping = Locked(DecodeSkipping.none)

    init(_ base: any Decoder, _ effort: Effort) {
        self.base = base
        self.effort = effort
    }

    func send(_ packet: Packet?) throws(MediaError) -> Bool {
        guard try base.send(packet) else { return false }
        if let packet { effort.send(packet, skipping.withLock { $0 }) }
        return true
    }
    func receive() throws(MediaError) -> DecoderOutput { try base.receive() }
    func flush() {
        effort.flush()
        base.flush()
    }
    func skip(_ skipping: DecodeSkipping) {
        self.skipping.withLock { $0 = skipping }
        base.skip(skipping)
    }
}
