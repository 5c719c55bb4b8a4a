import MediaCore
import PlayheadBackend
import Testing

@testable import PlaybackEngine
@testable import PlayheadTesting

/// H.264 with a field in each packet, every 20 ms. The first frame is a key frame.
@Suite("Fields after a seek with which the decoder continues")
struct FieldResumptionTests {
    private static let firstEpoch = EpochStart(epoch: Epoch())
    private static let seek = EpochStart(epoch: Epoch(1), firstWanted: .ms(40), demuxTarget: .ms(40))

    @Test(
        "The decoder skips both fields of a frame or none, also if it has to begin again",
        arguments: [[0, 1, 2, 3, 4, 5, 6, 7], [0, 3, 4, 5, 6, 7]] as [[Int64]]
    )
    func bothFields(indices: [Int64]) {
        let decoder = FieldDecoder()
        let limits = QueueLimits(bytes: 1 << 20)
        let (packets, frames) = (PacketQueue(limits: limits), FrameQueue(limits: limits))
        let stage = DecodeStage(
            track: Track(id: 0, mediaType: .video, codec: "h264", timeBase: Rational(1, 1000)),
            decoder: decoder,
            demand: DeinterlacingDemand(),
            share: FrameCache(byteLimit: 0).makeShare(),
            ahead: DecodeAhead(driver: ManualDriver(), label: "ahead"),
            input: packets,
            output: frames,
            start: Self.firstEpoch,
            allowsBursts: false,
            reverseRequest: Locked<ReverseSegment?>(nil),
            wakeDemuxer: {},
            report: { _ in }
        )
        func decode(_ indices: [Int64], _ start: EpochStart) {
            stage.start.withLock { $0 = start }
            packets.begin(start.epoch)
            frames.begin(start.epoch)
            for index in indices {
                let cost = QueueCost(bytes: 1, duration: 20_000_000)
                packets.push(.packet(Self.field(index), pass: 0), cost: cost, epoch: start.epoch)
            }
            while stage.step() == .progressed {}
        }
        // The last packet is the first field of a frame.
        decode([0, 1, 2], Self.firstEpoch)
        // The request applies from the frame after the one at the target.
        let request = SkipRequest(epoch: Self.seek.epoch, skipping: .nonReference)
        stage.skipRequest.withLock { $0 = request }
        decode(indices, Self.seek)
        let sent: [Int64] = [0, 1, 2] + (indices.count == 8 ? [3, 4, 5, 6, 7] : indices)
        let times: [MediaTime] = sent.map { .ms(20 * $0) }
        let levels: [DecodeSkipping] = sent.map { $0 < 4 ? .none : .nonReference }
        #expect(decoder.sent.map(\.time) == times)
        #expect(decoder.sent.map(\.skipping) == levels)
    }

    private static func field(_ index: Int64) -> Packet {
        var packet = Packet(
            track: 0,
            presentationTime: .ms(20 * index),
            decodeTime: .ms(20 * index),
            duration: .ms(20),
            byteCount: 1,
            isKeyFrame: index == 0,
            payload: NoBytes()
        )
        packet.isField = true
        return packet
    }

    private final class NoBytes: PacketPayload {}

    /// A decoder that returns a frame for each two packets.
    private final class FieldDecoder: EpochDecoder {
        struct Sent {
            var time: MediaTime
            var skipping: DecodeSkipping
        }

        private struct State {
            var skipping = DecodeSkipping.none
            var sent: [Sent] = []
            var firstField: MediaTime?
            var frame: VideoFrame?
        }

        private let state = Locked(State())

        /// The packets that were sent, and the frames that might be skipped then.
        var sent: [Sent] { state.withLock { $0.sent } }

        func send(_ packet: Packet?) throws(MediaError) -> Bool {
            guard let time = packet?.presentationTime else { return true }
            state.withLock { state in
                state.sent.append(Sent(time: time, skipping: state.skipping))
                if let first = state.firstField {
                    state.firstField = nil
                    state.frame = Self.frame(at: first)
                } else {
                    state.firstField = time
                }
            }
            return true
        }

        func receive() throws(MediaError) -> DecoderOutput {
            let next = state.withLock { state -> VideoFrame? in
                defer { state.frame = nil }
                return state.frame
            }
            guard let next else { return .needsInput }
            return .video(next)
        }

        func flush() {
            state.withLock { state in
                state.firstField = nil
                state.frame = nil
            }
        }

        func skip(_ skipping: DecodeSkipping) { state.withLock { $0.skipping = skipping } }

        private static func frame(at time: MediaTime) -> VideoFrame {
            VideoFrame(
                format: VideoFormat(pixelFormat: .gray, size: ScriptedFrame.ownSize),
                presentationTime: time,
                duration: .ms(40),
                isKeyFrame: false,
                sourceTime: SourceTime(ticks: time.value, timeBase: Rational(1, 1000)),
                storage: ScriptedFrame(0)
            )
        }
    }
}
