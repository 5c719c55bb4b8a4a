import DequeModule
import MediaCore
import PlayheadBackend
import Synchronization

/// Turns one track's packets into frames, drops what lies before a seek's target, and drains the decoder at
/// the end of each pass so that the next one can follow without a gap.
///
/// `@unchecked Sendable`: what is neither locked nor atomic is confined to the decoding lane.
final class DecodeStage: Stage, @unchecked Sendable {
    let input: PacketQueue
    let output: FrameQueue
    let isVideo: Bool
    /// Where the current epoch begins; written by the loop before it begins the epoch in the queues.
    let start: Locked<EpochStart>
    /// Where a pass ends early; frames due from there on are not wanted.
    let endTime = Locked<MediaTime?>(nil)
    /// What to leave out of frames, and how many were; see `FrameSkipper`.
    let skipRequest = Locked(SkipRequest())
    let skipped = Atomic<Int>(0)
    /// The input is empty, and all that was taken from it has been decoded.
    let isIdle = Atomic<Bool>(false)
    /// The input is empty, or was when it was last looked at: a packet that comes wakes the stage.
    let waitsForInput = Atomic<Bool>(true)
    /// The output was filled beyond its limits with frames that are kept anyway. The stage sleeps until there is no
    /// more than the limits allow, for several of them cost little more than one.
    let isPausedAfterBurst = Atomic<Bool>(false)
    private let allowsBursts: Bool

    /// Tells the demuxing stage where to read next while playing backward.
    let reverseRequest: Locked<ReverseSegment?>
    /// Where playing backward ends (`reversePlaybackEndTime`).
    let reverseEnd = Locked<MediaTime>(.zero)

    let decoder: any Decoder
    private let epochDecoder: (any EpochDecoder)?
    let wakeDemuxer: @Sendable () -> Void
    let report: @Sendable (StageReport) -> Void

    // Confined to the decoding lane: only `step()` touches what follows.
    var current: EpochState
    var skipper = FrameSkipper()
    var history = DecoderHistory()
    var order = PacketOrder()
    /// What the decoder was told to leave out.
    private var skipping = DecodeSkipping.none
    /// Frames that came out since the decoder was made or drained, with none left out.
    var framesSinceFlush = 0

    /// What belongs to an epoch. A new epoch replaces it whole.
    struct EpochState {
        let epoch: Epoch
        /// What was taken from the input and not yet taken by the decoder.
        var pendingInput: (packet: Packet?, end: MediaError?)?
        var pass = PassState()
        var filter = SeekFilter()
        /// Where the data ends, as far as the seek knows.
        let end: MediaTime?
        /// Non-nil while the decoder goes on from the epoch before, until a new packet comes.
        var resumption: DecoderResumption?
        /// To be taken before those of the input.
        var backlog: Deque<PacketElement> = []
        var consecutiveFaults = 0
        /// Non-nil while playing backward.
        var collector: ReverseCollector?

        init(_ start: EpochStart) {
            epoch = start.epoch
            end = start.demuxTarget
            filter.begin(at: start.firstWanted)
            if start.isReverse { collector = ReverseCollector(ReverseSegment(start)) }
        }
    }

    /// What belongs to one pass through the item.
    struct PassState {
        var number = 0
        var isDraining = false
        /// Why the data of the pass ended early.
        var drainError: MediaError?
        /// Where the last frame ends, and where the last video frame began, in nanoseconds of item time.
        var lastEnd: Int64?
        var lastTime: Int64?
        var hasGivenUp = false

        mutating func noteEnd(_ end: Int64) { lastEnd = max(lastEnd ?? .min, end) }
    }

    /// Packets in a row without a frame, all refused, after which a track is given up.
    private static let maximumConsecutiveFaults = 100

    init(
        isVideo: Bool,
        decoder: any Decoder,
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
        epochDecoder = decoder as? any EpochDecoder
        self.allowsBursts = allowsBursts
        self.input = input
        self.output = output
        self.start = Locked(start)
        self.wakeDemuxer = wakeDemuxer
        self.reverseRequest = reverseRequest
        self.report = report
        current = EpochState(start)
        epochDecoder?.begin(start)
    }

    func step() -> StepResult {
        let start = self.start.withLock { $0 }
        if start.epoch != current.epoch { begin(start) }
        guard hasOutputCapacity() else { return .needsSpace }
        do throws(MediaError) {
            switch try decoder.receive() {
            case .video(let frame):
                current.consecutiveFaults = 0
                deliver(frame)
                return .progressed
            case .audio(let buffer):
                current.consecutiveFaults = 0
                deliver(buffer)
                return .progressed
            case .needsInput: return try sendNextPacket()
            case .ended:
                if current.pass.isDraining {
                    finishPass()
                } else {
                    // It takes nothing more by itself: it begins anew, at the next sync point.
                    flush()
                }
                return .progressed
            }
        } catch {
            return fault(error)
        }
    }

    /// The output has room. Where frames are kept from before there is more of it, but none while the stage rests.
    private func hasOutputCapacity() -> Bool {
        if isPausedAfterBurst.load(ordering: .sequentiallyConsistent) {
            guard output.isWithinLimits else { return false }
            isPausedAfterBurst.store(false, ordering: .sequentiallyConsistent)
        }
        if output.hasCapacity { return true }
        guard allowsBursts, current.collector == nil, epochDecoder?.isServingCachedFrames == true else {
            return false
        }
        if output.hasBurstCapacity { return true }
        isPausedAfterBurst.store(true, ordering: .sequentiallyConsistent)
        // What was taken in between has woken nobody.
        return output.isWithinLimits
    }

    private func begin(_ start: EpochStart) {
        let resumption = resumption(at: start)
        current = EpochState(start)
        skipper.begin()
        order.reset()
        if let resumption {
            current.resumption = resumption
            current.filter.begin(at: start.firstWanted, from: history.newestFrame.map(stamped))
            epochDecoder?.resume(at: start)
        } else {
            restart(start)
        }
    }

    /// The decoder forgets everything. What comes next is a sync point.
    private func restart(_ start: EpochStart) {
        flush()
        epochDecoder?.begin(start)
    }

    func flush() {
        decoder.flush()
        history = DecoderHistory()
    }

    /// Whether the decoder can go on to where the epoch begins.
    private func resumption(at start: EpochStart) -> DecoderResumption? {
        guard isVideo, !start.isReverse, current.collector == nil, current.resumption == nil,
            let target = start.firstWanted, history.reaches(to: target)
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
                // Before it is taken out, so that it is seen in the queue or in the making.
                let wasIdle = isIdle.exchange(false, ordering: .sequentiallyConsistent)
                guard let (element, packetEpoch) = input.pop() else {
                    isIdle.store(true, ordering: .sequentiallyConsistent)
                    if !wasIdle { report(.delivered) }
                    waitsForInput.store(true, ordering: .sequentiallyConsistent)
                    // A packet that came in between has woken nobody.
                    return input.isEmpty ? .needsInput : .progressed
                }
                if waitsForInput.load(ordering: .relaxed) {
                    waitsForInput.store(false, ordering: .sequentiallyConsistent)
                }
                wakeDemuxer()
                // The queue may be an epoch ahead of the last look at `start`.
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
                if let packet = next.packet { history.send(packet) } else { beginDrain(next.end) }
            }
        } catch {
            current.pendingInput = nil
            if next.packet == nil { beginDrain(next.end) }
            throw error
        }
        return .progressed
    }

    private func beginDrain(_ error: MediaError?) {
        current.pass.isDraining = true
        current.pass.drainError = error
        history.invalidate()
    }

    /// Holds an element of the current epoch for the decoder, unless the decoder does not need it.
    private func accept(_ element: PacketElement) {
        if isVideo { trackSeekTarget(element) }
        if let step = current.resumption?.consume(element) {
            switch step {
            case .skip: return
            case .reached:
                current.resumption = nil
                return
            case .diverged: return restartFromSyncPoint()
            }
        }
        setPendingInput(element)
        guard let packet = current.pendingInput?.packet else { return }
        let isSkipped = isVideo ? mustSkip(packet) : current.filter.canSkip(packet, end: current.end)
        if isSkipped { current.pendingInput = nil }
    }

    /// The decoder cannot go on after all: it begins at the sync point.
    private func restartFromSyncPoint() {
        let start = self.start.withLock { $0 }
        current.backlog = Deque(current.resumption?.skippedElements ?? [])
        current.resumption = nil
        // They are noted once more.
        order.reset()
        // A newer epoch begins by itself.
        guard start.epoch == current.epoch else { return }
        restart(start)
        current.filter.begin(at: start.firstWanted)
    }

    /// Tells the search for a seek's target what comes.
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

    /// Packets that are asked at most where a seek's target ends.
    private static let seekLookaheadCount = 64

    /// Shows the frame that is due at a seek's target, once the packets tell which one that is.
    func resolveSeek() {
        guard current.filter.mayResolve, order.isReliable else { return }
        noteQueuedPackets(Self.seekLookaheadCount)
        if let frame = current.filter.resolve() { push(frame) }
    }

    /// Only while playing on: what a seek looks for is decoded.
    private func mustSkip(_ packet: Packet) -> Bool {
        let request = skipRequest.withLock { $0 }
        let isCurrent = request.epoch == current.epoch && !current.filter.isSearching
        skipper.setRequest(isCurrent ? request : SkipRequest())
        defer { countSkipped() }
        let isReverse = current.collector != nil
        let decision = skipper.decide(packet, pass: current.pass.number, isReverse: isReverse)
        let isDropped = decision == .drop
        if decision != .decode || skipper.request.skipping != .none { history.invalidate() }
        if decision == .decodeAfterFlush { decoder.flush() }
        let level = skipper.request.skipping
        setSkipping(isDropped || !endsBeforeTarget(packet) ? level : max(.nonReference, level))
        // The pass is as long as it is, with or without them.
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

    /// Decoders learn from frames in how far their order differs from that of the packets, and must have seen some.
    private static let minimumFramesBeforeSkipping = 4

    /// Whether the frame need not be decoded for a seek, unless another one refers to it.
    private func endsBeforeTarget(_ packet: Packet) -> Bool {
        guard current.collector == nil, framesSinceFlush >= Self.minimumFramesBeforeSkipping,
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
        report(.fault(error))
        history.invalidate()
        current.consecutiveFaults += 1
        if error.code == .decoderFailed || current.consecutiveFaults >= Self.maximumConsecutiveFaults {
            current.pass.hasGivenUp = true
        }
        // A decoder that refuses to drain has nothing more to give.
        if current.pass.isDraining, current.pendingInput == nil { finishPass() }
        return .progressed
    }
}
