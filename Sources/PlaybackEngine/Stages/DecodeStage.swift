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
    let isResting = Atomic<Bool>(false)
    private let mayRest: Bool

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
    var run = DecoderHistory()
    var order = PacketOrder()
    /// What the decoder was told to leave out.
    private var skipping = DecodeSkipping.none
    /// Frames that came out since the decoder was made or drained, with none left out.
    var framesInFull = 0

    /// What belongs to an epoch. A new epoch replaces it whole.
    struct EpochState {
        let epoch: Epoch
        /// What was taken from the input and not yet taken by the decoder.
        var held: (packet: Packet?, end: MediaError?)?
        var pass = PassState()
        var filter = SeekFilter()
        /// Where the data ends, as far as the seek knows.
        let end: MediaTime?
        /// Non-nil while the decoder goes on from the epoch before, until a new packet comes.
        var resumption: DecoderResumption?
        /// To be taken before those of the input.
        var backlog: Deque<PacketElement> = []
        var faultsInARow = 0
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
    private static let faultLimit = 100

    init(
        isVideo: Bool,
        decoder: any Decoder,
        input: PacketQueue,
        output: FrameQueue,
        start: EpochStart,
        mayRest: Bool,
        reverseRequest: Locked<ReverseSegment?>,
        wakeDemuxer: @escaping @Sendable () -> Void,
        report: @escaping @Sendable (StageReport) -> Void
    ) {
        self.isVideo = isVideo
        self.decoder = decoder
        epochDecoder = decoder as? any EpochDecoder
        self.mayRest = mayRest
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
        guard mayDeliver() else { return .needsSpace }
        do throws(MediaError) {
            switch try decoder.receive() {
            case .video(let frame):
                current.faultsInARow = 0
                deliver(frame)
                return .progressed
            case .audio(let buffer):
                current.faultsInARow = 0
                deliver(buffer)
                return .progressed
            case .needsInput: return try feed()
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
    private func mayDeliver() -> Bool {
        if isResting.load(ordering: .sequentiallyConsistent) {
            guard output.isLow else { return false }
            isResting.store(false, ordering: .sequentiallyConsistent)
        }
        if output.hasRoom { return true }
        guard mayRest, current.collector == nil, epochDecoder?.isRepeating == true else { return false }
        if output.hasRoomAtRest { return true }
        isResting.store(true, ordering: .sequentiallyConsistent)
        // What was taken in between has woken nobody.
        return output.isLow
    }

    private func begin(_ start: EpochStart) {
        let resumption = resumption(at: start)
        current = EpochState(start)
        skipper.begin()
        order.jump()
        if let resumption {
            current.resumption = resumption
            current.filter.begin(at: start.firstWanted, from: run.newest.map(stamped))
            epochDecoder?.goOn(to: start)
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
        run = DecoderHistory()
    }

    /// Whether the decoder can go on to where the epoch begins.
    private func resumption(at start: EpochStart) -> DecoderResumption? {
        guard isVideo, !start.isReverse, current.collector == nil, current.resumption == nil,
            let target = start.firstWanted, run.leads(to: target)
        else { return nil }
        return DecoderResumption(run)
    }

    private func feed() throws(MediaError) -> StepResult {
        if current.pass.isDraining, current.held == nil { return .progressed }
        if current.held == nil {
            if let element = current.backlog.popFirst() {
                take(element)
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
                take(element)
            }
        }
        guard let next = current.held else { return .progressed }
        if current.pass.hasGivenUp, next.packet != nil {
            current.held = nil
            return .progressed
        }
        do throws(MediaError) {
            if try decoder.send(next.packet) {
                current.held = nil
                if let packet = next.packet { run.send(packet) } else { drain(next.end) }
            }
        } catch {
            current.held = nil
            if next.packet == nil { drain(next.end) }
            throw error
        }
        return .progressed
    }

    private func drain(_ error: MediaError?) {
        current.pass.isDraining = true
        current.pass.drainError = error
        run.spoil()
    }

    /// Holds an element of the current epoch for the decoder, unless the decoder does not need it.
    private func take(_ element: PacketElement) {
        if isVideo { note(element) }
        if let step = current.resumption?.take(element) {
            switch step {
            case .passOver: return
            case .reached:
                current.resumption = nil
                return
            case .diverged: return decodeAnew()
            }
        }
        hold(element)
        guard let packet = current.held?.packet else { return }
        let isLeftOut = isVideo ? mustSkip(packet) : current.filter.leavesOut(packet, end: current.end)
        if isLeftOut { current.held = nil }
    }

    /// The decoder cannot go on after all: it begins at the sync point.
    private func decodeAnew() {
        let start = self.start.withLock { $0 }
        current.backlog = Deque(current.resumption?.passed ?? [])
        current.resumption = nil
        // They are noted once more.
        order.jump()
        // A newer epoch begins by itself.
        guard start.epoch == current.epoch else { return }
        restart(start)
        current.filter.begin(at: start.firstWanted)
    }

    /// Tells the search for a seek's target what comes.
    private func note(_ element: PacketElement) {
        guard case .packet(let packet, _) = element else {
            order.jump()
            current.filter.noteEnd()
            return settle()
        }
        order.note(packet)
        guard current.filter.isSearching, current.collector == nil else { return }
        current.filter.note(packet)
        noteWaiting(2)
        settle()
    }

    private func noteWaiting(_ count: Int) {
        for element in input.prefix(count) {
            switch element {
            case .packet(let packet, _): current.filter.note(packet)
            case .endOfPass: return current.filter.noteEnd()
            }
        }
    }

    /// Packets that are asked at most where a seek's target ends.
    private static let packetsAhead = 64

    /// Shows the frame that is due at a seek's target, once the packets tell which one that is.
    func settle() {
        guard current.filter.mayBeSettled, order.isReliable else { return }
        noteWaiting(Self.packetsAhead)
        if let frame = current.filter.settle() { push(frame) }
    }

    /// Only while playing on: what a seek looks for is decoded.
    private func mustSkip(_ packet: Packet) -> Bool {
        let request = skipRequest.withLock { $0 }
        let isCurrent = request.epoch == current.epoch && !current.filter.isSearching
        skipper.setRequest(isCurrent ? request : SkipRequest())
        defer { countSkipped() }
        let isReverse = current.collector != nil
        let verdict = skipper.judge(packet, pass: current.pass.number, isReverse: isReverse)
        let isLost = verdict == .leaveOut
        if verdict != .decode || skipper.request.level != .none { run.spoil() }
        if verdict == .decodeAfterFlush { decoder.flush() }
        let level = skipper.request.level
        setSkipping(isLost || !isPassed(packet) ? level : max(.nonReference, level))
        // The pass is as long as it is, with or without them.
        if isLost, !isReverse, let time = packet.presentationTime?.nanoseconds {
            current.pass.noteEnd(time &+ (packet.duration?.nanoseconds ?? 0))
        }
        return isLost
    }

    private func setSkipping(_ level: DecodeSkipping) {
        guard level != skipping else { return }
        skipping = level
        decoder.skip(level)
    }

    /// Decoders learn from frames in how far their order differs from that of the packets, and must have seen some.
    private static let framesToLearn = 4

    /// Whether the frame need not be decoded for a seek, unless another one refers to it.
    private func isPassed(_ packet: Packet) -> Bool {
        guard current.collector == nil, framesInFull >= Self.framesToLearn, !packet.isKeyFrame,
            current.filter.isPassed(packet), let target = start.withLock({ $0.firstWanted })
        else { return false }
        run.leaveOut(for: target)
        return true
    }

    func countSkipped() {
        let lost = skipper.takeLost()
        if lost > 0 { skipped.add(lost, ordering: .relaxed) }
    }

    private func hold(_ element: PacketElement) {
        switch element {
        case .packet(let packet, let pass):
            if current.collector != nil, current.collector?.floor == nil {
                current.collector?.floor = packet.presentationTime
            }
            current.pass.number = pass
            current.held = (packet, nil)
        case .endOfPass(let pass, let error):
            current.pass.number = pass
            current.held = (nil, error)
        }
    }

    private func fault(_ error: MediaError) -> StepResult {
        report(.fault(error))
        run.spoil()
        current.faultsInARow += 1
        if error.code == .decoderFailed || current.faultsInARow >= Self.faultLimit {
            current.pass.hasGivenUp = true
        }
        // A decoder that refuses to drain has nothing more to give.
        if current.pass.isDraining, current.held == nil { finishPass() }
        return .progressed
    }
}
