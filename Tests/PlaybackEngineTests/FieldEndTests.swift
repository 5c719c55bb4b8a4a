import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

/// The packets that are read up to an end. The script has a packet each 40 ms, which is a frame or a field.
@Suite("The end of packets with single fields")
struct FieldEndTests {
    private static let media = ScriptedMedia(video: .init(frameCount: 50, frameRate: 25, keyInterval: 25))

    /// Returns the presentation times of the packets of a pass in milliseconds, and the end of their frames in
    /// nanoseconds.
    private func read(
        _ start: EpochStart,
        hasFields: Bool,
        endTime: MediaTime? = nil
    ) throws -> (times: [Int64], videoEnd: Int64?) {
        let demuxer = FieldDemuxer(ScriptedDemuxer(Self.media, driver: ManualDriver()), hasFields: hasFields)
        let description = try demuxer.open().get()
        demuxer.setEnabledTracks([ScriptedMedia.videoTrack])
        let limits = QueueLimits(bytes: 1 << 20)
        let queue = PacketQueue(limits: limits)
        queue.begin(start.epoch)
        var request = ReadRequest(start: start, limits: limits, backBuffer: limits)
        request.endTime = endTime
        let stage = DemuxStage(
            demuxer: demuxer,
            description: description,
            queues: [ScriptedMedia.videoTrack: queue],
            request: request,
            loopSetting: LoopSetting(),
            reverseRequest: Locked<ReverseSegment?>(nil),
            allowsBursts: false,
            wakeDecoder: { _ in },
            report: { _ in }
        )
        while stage.step() == .progressed {}
        var times: [Int64] = []
        while let next = queue.pop() {
            guard case .packet(let packet, _) = next.element else { break }
            times.append((packet.presentationTime?.nanoseconds ?? 0) / 1_000_000)
        }
        #expect(queue.isEmpty, "the end of the pass is the last element")
        return (times, stage.progress.withLock { $0.videoEnd(ofPass: 0) })
    }

    @Test(
        "The second field of a frame is read if the end is between its fields, and does not move the end",
        arguments: [(1000, 960), (1001, 1000), (1040, 1000)] as [(Int64, Int64)]
    )
    func forward(_ end: Int64, _ last: Int64) throws {
        let start = EpochStart(epoch: Epoch())
        let frames = try read(start, hasFields: false, endTime: .ms(end))
        #expect(frames.times == Array(stride(from: 0, through: last, by: 40)))
        let fields = try read(start, hasFields: true, endTime: .ms(end))
        #expect(fields.times == frames.times + [last + 40])
        #expect(frames.videoEnd == (last + 40) * 1_000_000)
        #expect(fields.videoEnd == (last + 40) * 1_000_000)
    }

    @Test(
        "Backward, the second field of the first frame is read if the start is between its fields",
        arguments: [1000, 1010, 1039] as [Int64]
    )
    func backward(_ time: Int64) throws {
        let start = EpochStart(
            epoch: Epoch(),
            firstWanted: .ms(time),
            demuxTarget: .ms(time),
            isReverse: true
        )
        #expect(try read(start, hasFields: false).times == [1000])
        #expect(try read(start, hasFields: true).times == [1000, 1040])
    }
}

/// A demuxer whose packets may be fields.
private final class FieldDemuxer: Demuxer {
    private let base: ScriptedDemuxer
    private let hasFields: Bool

    init(_ base: ScriptedDemuxer, hasFields: Bool) {
        self.base = base
        self.hasFields = hasFields
    }

    func open() throws(MediaError) -> Poll<MediaDescription> { try base.open() }
    func setEnabledTracks(_ ids: Set<Int>) { base.setEnabledTracks(ids) }
    func read() throws(MediaError) -> Poll<Packet?> {
        guard case .ready(let next) = try base.read() else { return .pending }
        guard var packet = next else { return .ready(nil) }
        packet.isField = hasFields
        return .ready(packet)
    }
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        try base.seek(to: target, preference: preference)
    }
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        try base.makeDecoder(for: track, options: options)
    }
    func cancel() { base.cancel() }
}
