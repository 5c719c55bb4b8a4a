import DequeModule
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
    private var skipping = DecodeSkipping.none
    /// The number of frames decoded since the decoder was created or drained.
    var framesSinceDrain = 0
    /// The format of the last frame that was decoded.
    var newestFormat: VideoFormat?
    /// The packets of a video track whose frames the decoder has not returned.
    var packetsInDecoder: [Packet] = []
    /// More packets than any decoder delays.
    private static let maximumPacketsInDecoder = 128

    /// The state of one epoch. A new epoch replaces it as a whole.
    struct EpochState {
        let epoch: Epoch
        /// The element that was removed from the input and that the decoder has not yet accepted.
        var pendingInput: (packet: Packet?, end: MediaError?)?
        var pass = PassState()
        var filter = SeekFilter()
        /// The end of the data, as far as the seek knows it.
        let end: MediaTime?
        /// Non-nil while the decoder continues from the preceding epoch, until a new packet arrives.
        var resumption: DecoderResumption?
        /// Elements that are decoded before those of the input.
        var backlog: Deque<PacketElement> = []
        var consecutiveFaults = 0
        /// Non-nil during reverse playback.
        var collector: ReverseCollector?
        /// True if a segment of reverse playback has been decoded ahead, and waits until the output has capacity.
        var isSegmentDecoded = false
        /// Whether a frame near the target is to be shown before the one at the target is found.
        var awaitsPreview: Bool
        /// Non-nil while packets are not decoded because the video is not watched.
        var undecoded: UndecodedFrames?
        /// The time of the last packet with other parameters, until a frame of the new format has been decoded.
        var newParametersTime: MediaTime?
        /// After decoding has resumed at a key frame, the time of that frame.
        var leadingFrameLimit: MediaTime?

        init(_ start: EpochStart) {
            epoch = start.epoch
            end = start.demuxTarget
            awaitsPreview = start.showsPreview
            filter.begin(at: start.firstWanted)
            if start.isReverse { collector = ReverseCollector(ReverseSegment(start)) }
        }
    }

    /// The state of one pass through the item.
    struct PassState {
        var number = 0
        var isDraining = false
        /// The error that ended the data of the pass early.
        var drainError: MediaError?
        /// The end of the last frame, and the start of the last video frame, in nanoseconds of item time.
        var lastEnd: Int64?
        var lastTime: Int64?
        var hasGivenUp = false

        mutating func noteEnd(_ end: Int64) { lastEnd = max(lastEnd ?? .min, end) }
    }

    /// The number of consecutive failed packets after which the track is given up.
    private static let maximumConsecutiveFaults = 100

    init(
        isVideo: Bool,
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
        self.isVideo = isVideo
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
                current.consecutiveFaults = 0
                if let held = contexts.release(before: frame) { deliver(held) }
                if !contexts.hold(frame, isWanted: demand.isActive) { deliver(frame) }
                return .progressed
            case .audio(let buffer):
                current.consecutiveFaults = 0
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
    /// `isPausedAfterBurst`.
    private func hasOutputCapacity() -> Bool {
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

    private func begin(_ start: EpochStart) {
        let resumption = resumption(at: start)
        current.collector?.discard()
        current = EpochState(start)
        skipper.begin()
        order.reset()
        if let resumption {
            current.resumption = resumption
            current.filter.begin(at: start.firstWanted, from: history.newestFrame.map(stamped))
            decoder.resume(at: start)
        } else {
            restart(start)
        }
    }

    /// Flushes the decoder for an epoch whose next packet is a sync point.
    private func restart(_ start: EpochStart) {
        flush()
        var start = start
        if current.awaitsPreview, let target = start.firstWanted {
            switch decoder.keptFrame(for: target) {
            case .due?: current.awaitsPreview = false
            case .near(let frame)?: showPreview(frame)
            case nil: break
            }
        }
        start.showsPreview = current.awaitsPreview
        decoder.begin(start)
    }

    /// Shows the last frame that was decoded if the seek awaits a frame, unless it may be the one that is due at the
    /// target.
    private func showNewestFrame() {
        guard current.awaitsPreview else { return }
        current.awaitsPreview = false
        guard let target = ItemTime(start.withLock({ $0.firstWanted })), let newest = history.newestFrame,
            PresentationScheduler.end(of: newest) <= target
        else { return }
        showPreview(newest)
    }

    func flush() {
        flushDecoder()
        history = DecoderHistory()
    }

    private func flushDecoder() {
        decoder.flush()
        packetsInDecoder = []
        contexts = DeinterlaceContextBuilder()
    }

    /// Delivers the frame that waits for the following one, because no frame follows.
    func deliverHeldFrame() {
        if let held = contexts.release(before: nil) { deliver(held) }
    }

    /// Returns how the decoder continues into the new epoch, or nil if it must be flushed.
    private func resumption(at start: EpochStart) -> DecoderResumption? {
        // If an earlier search has not reached the decoder's position, the decoder has not changed since.
        guard isVideo, !start.isReverse, current.collector == nil, let target = start.firstWanted,
            history.reaches(to: target)
        else { return nil }
        return DecoderResumption(history)
    }

    private func sendNextPacket() throws(MediaError) -> StepResult {
        if current.pass.isDraining, current.pendingInput == nil { return .progressed }
        if current.pendingInput == nil {
            if let element = current.backlog.popFirst() {
                accept(element)
            } else {
                if decoder.isCatchingUp, input.isEmpty { return .progressed }
                // Set before the packet is removed, so that the packet is always visible in the queue or as
                // work in progress.
                let wasIdle = isIdle.exchange(false, ordering: .sequentiallyConsistent)
                guard let (element, packetEpoch) = input.pop() else {
                    isIdle.store(true, ordering: .sequentiallyConsistent)
                    if !wasIdle { report(.delivered) }
                    waitsForInput.store(true, ordering: .sequentiallyConsistent)
                    // A packet that arrived in the meantime has not woken the stage.
                    return input.isEmpty ? .needsInput : .progressed
                }
                if waitsForInput.load(ordering: .relaxed) {
                    waitsForInput.store(false, ordering: .sequentiallyConsistent)
                }
                wakeDemuxer()
                // The queue may be an epoch ahead of the value of `start` that was read before.
                if packetEpoch > current.epoch { begin(start.withLock { $0 }) }
                guard packetEpoch == current.epoch else { return .progressed }
                accept(element)
            }
        }
        guard let next = current.pendingInput else { return .progressed }
        if current.pass.hasGivenUp, next.packet != nil {
            current.pendingInput = nil
            return .progressed
        }
        do throws(MediaError) {
            if try decoder.send(next.packet) {
                current.pendingInput = nil
                if let packet = next.packet { noteSent(packet) } else { beginDrain(next.end) }
            }
        } catch {
            current.pendingInput = nil
            if next.packet == nil { beginDrain(next.end) }
            throw error
        }
        return .progressed
    }

    private func noteSent(_ packet: Packet) {
        history.send(packet)
        guard isVideo else { return }
        if packetsInDecoder.count >= Self.maximumPacketsInDecoder { packetsInDecoder.removeFirst() }
        packetsInDecoder.append(packet)
    }

    private func beginDrain(_ error: MediaError?) {
        current.pass.isDraining = true
        current.pass.drainError = error
        history.invalidate()
    }

    /// Makes an element of the current epoch the decoder's next input, unless the decoder does not need it.
    private func accept(_ element: PacketElement) {
        if isVideo { trackSeekTarget(element) }
        if let step = current.resumption?.consume(element) {
            switch step {
            case .skip: return showNewestFrame()
            case .reached:
                current.resumption = nil
                return showNewestFrame()
            case .diverged: return restartFromSyncPoint()
            }
        }
        setPendingInput(element)
        if isVideo, deliverUndecoded() { return }
        guard let packet = current.pendingInput?.packet else { return }
        let isSkipped = isVideo ? mustSkip(packet) : current.filter.canSkip(packet, end: current.end)
        if isSkipped { current.pendingInput = nil }
    }

    /// Restarts decoding at the sync point, because the decoder cannot continue after all.
    private func restartFromSyncPoint() {
        let start = self.start.withLock { $0 }
        current.backlog = Deque(current.resumption?.skippedElements ?? [])
        current.resumption = nil
        // The skipped elements are noted again.
        order.reset()
        // A newer epoch starts on its own.
        guard start.epoch == current.epoch else { return }
        restart(start)
        current.filter.begin(at: start.firstWanted)
    }

    /// Informs the search for a seek's target about an element.
    private func trackSeekTarget(_ element: PacketElement) {
        guard case .packet(let packet, _) = element else {
            order.reset()
            current.filter.noteEnd()
            return resolveSeek()
        }
        order.note(packet)
        guard current.filter.isSearching, current.collector == nil else { return }
        current.filter.note(packet)
        noteQueuedPackets(2)
        resolveSeek()
    }

    private func noteQueuedPackets(_ count: Int) {
        for element in input.prefix(count) {
            switch element {
            case .packet(let packet, _): current.filter.note(packet)
            case .endOfPass: return current.filter.noteEnd()
            }
        }
    }

    /// The number of queued packets that are examined at most to find out which frame is due at a seek's
    /// target.
    private static let seekLookaheadCount = 64

    /// Delivers the frame that is due at a seek's target as soon as the packets identify it.
    func resolveSeek() {
        guard current.filter.mayResolve, order.isReliable else { return }
        noteQueuedPackets(Self.seekLookaheadCount)
        if let frame = current.filter.resolve() { push(frame) }
    }

    /// Returns whether a packet is skipped to save time. Packets that a seek searches are never skipped.
    private func mustSkip(_ packet: Packet) -> Bool {
        let request = skipRequest.withLock { $0 }
        let isCurrent = request.epoch == current.epoch && !current.filter.isSearching
        skipper.setRequest(isCurrent ? request : SkipRequest())
        defer { countSkipped() }
        let isReverse = current.collector != nil
        let decision = skipper.decide(packet, pass: current.pass.number, isReverse: isReverse)
        let isDropped = decision == .drop
        if decision != .decode || skipper.request.skipping != .none { history.invalidate() }
        if decision == .decodeAfterFlush { flushDecoder() }
        let level = skipper.request.skipping
        setSkipping(isDropped || !endsBeforeTarget(packet) ? level : max(.nonReference, level))
        // Dropped frames count for the end of the pass.
        if isDropped, !isReverse, let time = packet.presentationTime?.nanoseconds {
            current.pass.noteEnd(time &+ (packet.duration?.nanoseconds ?? 0))
        }
        return isDropped
    }

    private func setSkipping(_ level: DecodeSkipping) {
        guard level != skipping else { return }
        skipping = level
        decoder.skip(level)
    }

    /// The number of frames that a decoder must have produced before frames may be skipped. From these, it
    /// learns how far presentation order differs from decoding order.
    private static let minimumFramesBeforeSkipping = 4

    /// Returns whether the frame of a packet ends before the seek's target, so that it is needed only as a
    /// reference.
    private func endsBeforeTarget(_ packet: Packet) -> Bool {
        guard current.collector == nil, framesSinceDrain >= Self.minimumFramesBeforeSkipping,
            !packet.isKeyFrame,
            current.filter.endsBeforeTarget(packet), let target = start.withLock({ $0.firstWanted })
        else { return false }
        history.allowSkipping(before: target)
        return true
    }

    func countSkipped() {
        let dropped = skipper.resetDroppedCount()
        if dropped > 0 { skipped.add(dropped, ordering: .relaxed) }
    }

    private func setPendingInput(_ element: PacketElement) {
        switch element {
        case .packet(let packet, let pass):
            if current.collector != nil, current.collector?.syncPointTime == nil {
                current.collector?.syncPointTime = packet.presentationTime
            }
            current.pass.number = pass
            current.pendingInput = (packet, nil)
        case .endOfPass(let pass, let error):
            current.pass.number = pass
            current.pendingInput = (nil, error)
        }
    }

    private func fault(_ error: MediaError) -> StepResult {
        // A decoder that fails to drain has no more output.
        let endsPass = current.pass.isDraining && current.pendingInput == nil
        if endsPass { deliverHeldFrame() }
        report(.fault(error))
        history.invalidate()
        current.consecutiveFaults += 1
        if error.code == .decoderFailed || current.consecutiveFaults >= Self.maximumConsecutiveFaults {
            current.pass.hasGivenUp = true
        }
        if endsPass { finishPass() }
        return .progressed
    }
}
