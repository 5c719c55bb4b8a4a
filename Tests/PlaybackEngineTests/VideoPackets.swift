import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

/// Reads the video packets of a pass with a demuxing stage.
enum VideoPackets {
    /// Returns the presentation times of the packets in milliseconds, and the end of their frames in nanoseconds.
    ///
    /// `change` is called with each packet that the script returns.
    static func read(
        _ media: ScriptedMedia,
        _ start: EpochStart,
        endTime: MediaTime? = nil,
        change: @escaping @Sendable (inout Packet) -> Void
    ) throws -> (times: [Int64], videoEnd: Int64?) {
        let demuxer = ChangingDemuxer(ScriptedDemuxer(media, driver: ManualDriver()), change)
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
}
