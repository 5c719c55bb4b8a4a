import MediaCore
import PlayheadBackend
import Synchronization

/// Decodes the packets of one track, drops the frames before a seek's target, and drains the decoder at the end
/// of each pass so that the next pass follows without a gap.
///
/// An epoch is in one or more of these phases:
///
/// | Phase | State | What happens |
/// |---|---|---|
/// | resuming | `current.resumption` | packets that the decoder has already received are skipped |
/// | searching | `current.filter` | frames before the seek's target are dropped |
/// | playing | `skipper` | packets are skipped if decoding is too slow |
/// | draining | `current.pass.isDraining` | the pass has ended, and its last frames are delivered |
/// | reversing | `current.collector` | the frames of a segment are collected, and delivered backward |
/// | unwatched | `current.undecoded` | packets become frames without pixels |
///
/// `DecoderFactory` draws the decorators around the decoder.
///
/// `@unchecked Sendable`: members that are neither locked nor atomic are confined to the decoding lane.
final class DecodeStage: Stage, @unchecked Sendable {
    let input: PacketQueue
    let output: FrameQueue
    let isVideo: Bool
    /// The lead of audio decoding before a seek's target.
    let audioPreroll: MediaTime
    /// The start of the current epoch. The loop sets it before it begins the epoch in the queues.
    let start: Locked<EpochStart>
    /// The end time of a pass (`forwardPlaybackEndTime`). Frames due at or after it are dropped.
    let endTime = Locked<MediaTime?>(nil)
    /// The frames to skip, and the number of frames skipped so far; see `FrameSkipper`.
    let skipRequest = Locked(SkipRequest())
    let skipped = Atomic<Int>(0)
    /// True if the input is empty and all its packets have been decoded.
    let isIdle = Atomic<Bool>(false)
    /// True if the input was empty at the last check. A new packet must then wake the stage.
    let waitsForInput = Atomic<Bool>(true)
    /// True after a burst of cached frames has filled the output beyond its limits.
    ///
    /// The stage then sleeps until the output is within the limits again, because delivering several cached
    /// frames at once costs little more than delivering one.
    let isPausedAfterBurst = Atomic<Bool>(false)
    private let allowsBursts: Bool
    /// False while nothing receives the frames of a video track, so that they need not be decoded.
    let isWatched = Atomic<Bool>(true)

    /// The segment that the demuxing stage reads next during reverse playback.
    let reverseRequest: Locked<ReverseSegment?>
    /// The time at which reverse playback ends (`reversePlaybackEndTime`).
    let reverseEnd = Locked<MediaTime>(.zero)

    let decoder: any EpochDecoder
    private let demand: DeinterlacingDemand
    /// The memory for frames that are decoded ahead of need.
    private let share: FrameCacheShare
    private let ahead: DecodeAhead
    let wakeDemuxer: @Sendable () -> Void
    let report: @Sendable (StageReport) -> Void

    // The members that follow are confined to the decoding lane; only `step()` accesses them.
    var current: EpochState
    var skipper = FrameSkipper()
    var history = DecoderHistory()
    var order = PacketOrder()
    private var contexts = DeinterlaceContextBuilder()
    /// The frames that the decoder was last requested to skip.
    var skipping = DecodeSkipping.none
    /// The number of frames decoded since the decoder was created or drained.
    var framesSinceDrain = 0
    /// The format of the last frame that was decoded.
    var newestFormat: VideoFormat?
    /// The packets of a video track whose frames the decoder has not returned.
    var packetsInDecoder: [Packet] = []

    /// Whether the decoder has ever returned a frame. The media may then be intact again after a damaged part, however
    /// long that is.
    private var hasDecoded = false

    /// The number of consecutive failed packets that are reported, and after which a track of which nothing was decoded
    /// is given up.
    private static let maximumConsecutiveFaults = 100

    init(
        track: Track,
        decoder: any EpochDecoder,
        demand: DeinterlacingDemand,
        share: FrameCacheShare,
        ahead: DecodeAhead,
        input: PacketQueue,
        output: FrameQueue,
        start: EpochStart,
        allowsBursts: Bool,
        reverseRequest: Locked<ReverseSegment?>,
        wakeDemuxer: @escaping @Sendable () -> Void,
        report: @escaping @Sendable (StageReport) -> Void
    ) {
        isVideo = track.mediaType == .video
        audioPreroll = track.preroll(usual: SeekFilter.audioPreroll)
        self.decoder = decoder
        self.demand = demand
        self.share = share
        self.ahead = ahead
        self.allowsBursts = allowsBursts
        self.input = input
        self.output = output
        self.start = Locked(start)
        self.wakeDemuxer = wakeDemuxer
        self.reverseRequest = reverseRequest
        self.report = report
        current = EpochState(start)
        decoder.begin(start)
    }

    func step() -> StepResult {
        let start = self.start.withLock { $0 }
        if start.epoch != current.epoch { begin(start) }
        if current.isSegmentDecoded {
            guard output.hasCapacity else { return .needsSpace }
            current.isSegmentDecoded = false
            finishPass()
            return .progressed
        }
        guard hasOutputCapacity() || mayDecodeAhead() else { return .needsSpace }
        do throws(MediaError) {
            switch try decoder.receive() {
            case .video(let frame):
                noteDecoded()
                if let held = contexts.release(before: frame) { deliver(held) }
                if !contexts.hold(frame, isWanted: demand.isActive) { deliver(frame) }
                return .progressed
            case .audio(let buffer):
                noteDecoded()
                deliver(buffer)
                return .progressed
            case .needsInput: return try sendNextPacket()
            case .ended:
                deliverHeldFrame()
                if current.pass.isDraining {
                    finishPass()
                } else {
                    // The decoder has ended without being drained: it restarts at the next sync point.
                    flush()
                }
                return .progressed
            }
        } catch {
            return fault(error)
        }
    }

    /// Returns whether a frame may be delivered now.
    ///
    /// Cached frames may exceed the limits of the output in a burst, after which the stage pauses; see
    /// `isPausedAfterBurst`. While a user drags the position, one frame after the one at the target suffices for a step;
    /// a seek to elsewhere would wait for the decoding of more. If the user drags forward, the frames of one more move of
    /// the same length are decoded.
    private func hasOutputCapacity() -> Bool {
        if isVideo, current.isScrubbing, !current.filter.isSearching, !output.isEmpty, !isBehindDrag {
            return false
        }
        if isPausedAfterBurst.load(ordering: .sequentiallyConsistent) {
            guard output.isWithinLimits else { return false }
            isPausedAfterBurst.store(false, ordering: .sequentiallyConsistent)
        }
        if output.hasCapacity { return true }
        guard allowsBursts, current.collector == nil, decoder.isServingCachedFrames else {
            return false
        }
        if output.hasBurstCapacity { return true }
        isPausedAfterBurst.store(true, ordering: .sequentiallyConsistent)
        // Frames that were removed in the meantime have not woken the stage.
        return output.isWithinLimits
    }

    /// Whether the frames for one more move of a forward drag have not been decoded yet.
    private var isBehindDrag: Bool {
        guard current.dragDistance > .zero, let target = current.target, let newest = history.newestFrame
        else {
            return false
        }
        return newest.presentationTime < target + current.dragDistance
    }

    /// Returns whether a step may be done although the output has no capacity: the next segment of reverse playback
    /// is decoded before its frames are needed, if they fit into the cache.
    private func mayDecodeAhead() -> Bool {
        guard let collector = current.collector, collector.canDecodeAhead,
            collector.isKept || cacheFitsFrames, ahead.takeStep()
        else { return false }
        current.collector?.keep(in: share)
        return true
    }

    /// Whether several frames of the size of the next one fit into the cache.
    private var cacheFitsFrames: Bool {
        guard case .video(let frame)? = output.peek() else { return false }
        return share.fairShareBytes / 4 >= frame.storage.byteCount
    }

    func flush() {
        flushDecoder()
        history = DecoderHistory()
    }

    func flushDecoder() {
        decoder.flush()
        packetsInDecoder = []
        contexts = DeinterlaceContextBuilder()
    }

    /// Delivers the frame that waits for the following one, because no frame follows.
    func deliverHeldFrame() {
        if let held = contexts.release(before: nil) { deliver(held) }
    }

    private func noteDecoded() {
        current.consecutiveFaults = 0
        hasDecoded = true
    }

    private func fault(_ error: MediaError) -> StepResult {
        // A decoder that fails to drain has no more output.
        let endsPass = current.pass.isDraining && current.pendingInput == nil
        if endsPass { deliverHeldFrame() }
        if current.consecutiveFaults < Self.maximumConsecutiveFaults { report(.fault(error)) }
        history.invalidate()
        current.consecutiveFaults += 1
        let isHopeless = !hasDecoded && current.consecutiveFaults >= Self.maximumConsecutiveFaults
        if error.code == .decoderFailed || isHopeless { current.pass.hasGivenUp = true }
        if endsPass { finishPass() }
        return .progressed
    }
}
