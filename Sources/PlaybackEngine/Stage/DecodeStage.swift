import MediaCore
import Synchronization

/// Turns one track's packets into frames, drops what lies before a seek's target, and drains the decoder at
/// the end of each pass so that the next one can follow without a gap.
final class DecodeStage: Stage, @unchecked Sendable {
    let input: PacketQueue
    let output: FrameQueue
    let isVideo: Bool
    /// Where the current epoch begins; written by the loop before it begins the epoch in the queues.
    let start: Locked<EpochStart>
    /// Where a pass ends early; frames due from there on are not wanted.
    let endTime = Locked<MediaTime?>(nil)
    /// What to leave out of pictures, and how many were; see `PictureSkipper`.
    let skipWish = Locked(SkipWish())
    let skipped = Atomic<Int>(0)

    /// Tells the demuxing stage where to read next while playing backward.
    let reverseWish: Locked<ReverseSegment?>
    /// Where playing backward ends (`reversePlaybackEndTime`).
    let reverseEnd = Locked<MediaTime>(.zero)

    let decoder: any Decoder
    let wakeDemuxer: @Sendable () -> Void
    let report: @Sendable (StageReport) -> Void

    // Confined to the decoding lane: only `step()` touches what follows.
    var current: EpochState
    var skipper = PictureSkipper()

    /// What belongs to an epoch. A new epoch replaces it whole.
    struct EpochState {
        let epoch: Epoch
        /// What was taken from the input and not yet taken by the decoder.
        var held: (packet: Packet?, end: MediaError?)?
        var pass = PassState()
        var filter = SeekFilter()
        var faultsInARow = 0
        /// Non-nil while playing backward.
        var collector: ReverseCollector?

        init(_ start: EpochStart) {
            epoch = start.epoch
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
        reverseWish: Locked<ReverseSegment?>,
        wakeDemuxer: @escaping @Sendable () -> Void,
        report: @escaping @Sendable (StageReport) -> Void
    ) {
        self.isVideo = isVideo
        self.decoder = decoder
        self.input = input
        self.output = output
        self.start = Locked(start)
        self.wakeDemuxer = wakeDemuxer
        self.reverseWish = reverseWish
        self.report = report
        current = EpochState(start)
        (decoder as? any EpochDecoder)?.begin(start)
    }

    func step() -> StepResult {
        let start = self.start.withLock { $0 }
        if start.epoch != current.epoch { begin(start) }
        guard output.hasRoom else { return .needsSpace }
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
                    decoder.flush()
                }
                return .progressed
            }
        } catch {
            return fault(error)
        }
    }

    private func begin(_ start: EpochStart) {
        current = EpochState(start)
        decoder.flush()
        (decoder as? any EpochDecoder)?.begin(start)
        skipper.begin()
    }

    private func feed() throws(MediaError) -> StepResult {
        if current.pass.isDraining, current.held == nil { return .progressed }
        if current.held == nil {
            guard let (element, packetEpoch) = input.pop() else { return .needsInput }
            wakeDemuxer()
            // The queue may be an epoch ahead of the last look at `start`.
            if packetEpoch > current.epoch { begin(start.withLock { $0 }) }
            guard packetEpoch == current.epoch else { return .progressed }
            hold(element)
            if isVideo, let packet = current.held?.packet, mustSkip(packet) { current.held = nil }
        }
        guard let next = current.held else { return .progressed }
        if current.pass.hasGivenUp, next.packet != nil {
            current.held = nil
            return .progressed
        }
        do throws(MediaError) {
            if try decoder.send(next.packet) {
                current.held = nil
                if next.packet == nil { drain(next.end) }
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
    }

    /// Only while playing on: what a seek looks for is decoded.
    private func mustSkip(_ packet: Packet) -> Bool {
        let wish = skipWish.withLock { $0 }
        if skipper.take(current.filter.isSearching ? SkipWish() : wish) { decoder.skip(skipper.wish.level) }
        defer { countSkipped() }
        let isReverse = current.collector != nil
        guard !skipper.wants(packet, pass: current.pass.number, isReverse: isReverse) else { return false }
        // The pass is as long as it is, with or without them.
        if !isReverse, let time = packet.presentationTime?.nanoseconds {
            current.pass.noteEnd(time &+ (packet.duration?.nanoseconds ?? 0))
        }
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
        current.faultsInARow += 1
        if error.code == .decoderFailed || current.faultsInARow >= Self.faultLimit {
            current.pass.hasGivenUp = true
        }
        // A decoder that refuses to drain has nothing more to give.
        if current.pass.isDraining, current.held == nil { finishPass() }
        return .progressed
    }
}
