import MediaCore
import Synchronization

/// Turns one track's packets into frames, drops what lies before a seek's target, and drains the decoder at
/// the end of each pass so that the next one can follow without a gap.
final class DecodeStage: Stage, @unchecked Sendable {
    let input: PacketQueue
    let output: FrameQueue
    private let isVideo: Bool
    /// Where the current epoch begins; written by the loop before it begins the epoch in the queues.
    let start: Locked<EpochStart>
    /// Where a pass ends early; frames due from there on are not wanted.
    let endTime = Locked<MediaTime?>(nil)
    /// What to leave out of pictures, and how many were; see `PictureSkipper`.
    let skipWish = Locked(SkipWish())
    let skipped = Atomic<Int>(0)

    /// Tells the demuxing stage where to read next while playing backward.
    private let reverseWish: Locked<ReverseSegment?>
    /// Where playing backward ends (`reversePlaybackEndTime`).
    let reverseEnd = Locked<MediaTime>(.zero)

    private let decoder: any Decoder
    private let wakeDemuxer: @Sendable () -> Void
    private let report: @Sendable (StageReport) -> Void

    // Confined to the decoding lane: only `step()` touches what follows.
    private var epoch: Epoch
    private var pass = 0
    private var filter = SeekFilter()
    private var held: (packet: Packet?, end: MediaError?)?
    private var isDraining = false
    private var drainError: MediaError?
    private var lastEnd: Int64?
    private var lastTime: Int64?
    private var faultsInARow = 0
    private var hasGivenUp = false
    private var skipper = PictureSkipper()
    private var early = EarlyPicture()
    /// Non-nil while playing backward.
    private var collector: ReverseCollector?

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
        epoch = start.epoch
        filter.begin(at: start.firstWanted)
        if start.isReverse { collector = ReverseCollector(ReverseSegment(start)) }
        early.begin(isWanted: wantsEarly(start))
    }

    /// What a seek looks for is known when the picture behind it has come.
    private func wantsEarly(_ start: EpochStart) -> Bool {
        isVideo && decoder.delaysPictures && !start.isReverse && start.firstWanted == nil
    }

    func step() -> StepResult {
        let start = self.start.withLock { $0 }
        if start.epoch != epoch { begin(start) }
        guard output.hasRoom else { return .needsSpace }
        do throws(MediaError) {
            switch try decoder.receive() {
            case .video(let frame):
                faultsInARow = 0
                deliver(frame)
                return .progressed
            case .audio(let buffer):
                faultsInARow = 0
                deliver(buffer)
                return .progressed
            case .needsInput: return try feed()
            case .ended:
                if early.isDraining {
                    beginAgain()
                } else if isDraining {
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
        epoch = start.epoch
        pass = 0
        held = nil
        isDraining = false
        lastEnd = nil
        lastTime = nil
        faultsInARow = 0
        hasGivenUp = false
        decoder.flush()
        skipper.begin()
        filter.begin(at: start.firstWanted)
        collector = start.isReverse ? ReverseCollector(ReverseSegment(start)) : nil
        early.begin(isWanted: wantsEarly(start))
    }

    private func feed() throws(MediaError) -> StepResult {
        if isDraining { return .progressed }
        if let packet = early.repeated {
            do throws(MediaError) {
                if try decoder.send(packet) { early.sentAgain() }
            } catch {
                early.sentAgain()
                throw error
            }
            return .progressed
        }
        if held == nil {
            guard let (element, packetEpoch) = input.pop() else { return .needsInput }
            wakeDemuxer()
            // The queue may be an epoch ahead of the last look at `start`.
            if packetEpoch > epoch { begin(start.withLock { $0 }) }
            guard packetEpoch == epoch else { return .progressed }
            hold(element)
            if isVideo, let packet = held?.packet, mustSkip(packet) { held = nil }
        }
        guard let next = held else { return .progressed }
        if hasGivenUp, next.packet != nil {
            held = nil
            return .progressed
        }
        if early.isFirst(before: next.packet) {
            // Refused or not, it has begun: what it throws is the packet's fault, and is told when that comes again.
            do throws(MediaError) {
                if try decoder.send(nil) { early.drain() }
            } catch {
                early.drain()
                beginAgain()
            }
            return .progressed
        }
        if next.packet == nil {
            isDraining = true
            drainError = next.end
        }
        do throws(MediaError) {
            if try decoder.send(next.packet) {
                held = nil
                if let packet = next.packet { early.sent(packet) }
            }
        } catch {
            held = nil
            throw error
        }
        return .progressed
    }

    /// The first picture is out; now all of them.
    private func beginAgain() {
        decoder.flush()
        early.drained()
    }

    /// Only while playing on: what a seek looks for is decoded.
    private func mustSkip(_ packet: Packet) -> Bool {
        let wish = skipWish.withLock { $0 }
        if skipper.take(filter.isSearching ? SkipWish() : wish) { decoder.skip(skipper.wish.level) }
        defer { countSkipped() }
        guard !skipper.wants(packet, pass: pass, isReverse: collector != nil) else { return false }
        // The pass is as long as it is, with or without them.
        if collector == nil, let time = packet.presentationTime?.nanoseconds {
            lastEnd = max(lastEnd ?? .min, time &+ (packet.duration?.nanoseconds ?? 0))
        }
        return true
    }

    private func countSkipped() {
        let lost = skipper.takeLost()
        if lost > 0 { skipped.add(lost, ordering: .relaxed) }
    }

    private func hold(_ element: PacketElement) {
        switch element {
        case .packet(let packet, let pass):
            if collector != nil, collector?.floor == nil { collector?.floor = packet.presentationTime }
            self.pass = pass
            held = (packet, nil)
        case .endOfPass(let pass, let error):
            self.pass = pass
            held = (nil, error)
        }
    }

    private func deliver(_ frame: VideoFrame) {
        guard early.isNew(frame) else { return }
        var frame = frame
        frame.epoch = epoch
        frame.pass = pass
        skipper.came(frame.presentationTime)
        if collector != nil {
            frame.isReversed = true
            frame.pass = 0
            collector?.take(frame)
            return
        }
        if isPastEnd(frame.presentationTime) { return }
        let result = filter.take(frame)
        if result.isLate { landedLate() }
        for frame in result.frames { push(frame) }
    }

    private func push(_ frame: VideoFrame) {
        let length = frame.duration.nanoseconds ?? stepBefore(frame)
        if let time = frame.presentationTime.nanoseconds {
            lastTime = time
            lastEnd = max(lastEnd ?? .min, time &+ length)
        }
        let cost = QueueCost(bytes: frame.storage.byteCount, duration: length)
        output.push(.video(frame), cost: cost, epoch: epoch)
        report(.delivered)
    }

    /// A picture that does not say how long it is due is due as long as the one before was.
    private func stepBefore(_ frame: VideoFrame) -> Int64 {
        guard let lastTime, let time = frame.presentationTime.nanoseconds else { return 0 }
        return max(0, min(time &- lastTime, 10_000_000_000))
    }

    private func deliver(_ buffer: AudioBuffer) {
        var buffer = buffer
        buffer.epoch = epoch
        buffer.pass = pass
        if let end = endTime.withLock({ $0 }) { buffer = buffer.ending(at: end) }
        // Before the wanted time too: behind the end of the data it is the end that is wanted.
        if buffer.frameCount > 0, let time = buffer.presentationTime.nanoseconds {
            lastEnd = max(lastEnd ?? .min, time &+ (buffer.duration.nanoseconds ?? 0))
        }
        let result = filter.take(buffer)
        if result.isLate { landedLate() }
        guard let buffer = result.buffer, buffer.frameCount > 0 else { return }
        let length = buffer.duration.nanoseconds ?? 0
        let bytes = buffer.frameCount &* buffer.format.bytesPerFrame
        output.push(.audio(buffer), cost: QueueCost(bytes: bytes, duration: length), epoch: epoch)
        report(.delivered)
    }

    private func isPastEnd(_ time: MediaTime) -> Bool {
        endTime.withLock { $0.map { time >= $0 } ?? false }
    }

    private func landedLate() {
        guard mayLookEarlier else { return }
        report(.landedLate(epoch))
    }

    private var mayLookEarlier: Bool { !start.withLock { $0.isLastAttempt } }

    private func finishSegment(_ collected: ReverseCollector) {
        var (frames, next) = collected.finish(reverseEnd: reverseEnd.withLock { $0 })
        // Nothing that has been passed is worth decoding.
        let wish = skipWish.withLock { $0 }
        if wish.level == .allButKeyFrames, let segment = next, wish.position > 0 {
            next = segment.skipping(to: MediaTime(value: wish.position, timescale: 1_000_000_000))
        }
        skipper.begin()
        countSkipped()
        isDraining = false
        decoder.flush()
        for frame in frames { push(frame) }
        if let next, drainError == nil {
            collector = ReverseCollector(next)
            reverseWish.withLock { $0 = next }
            wakeDemuxer()
        } else {
            let end = FrameElement.endOfPass(0, end: 0, drainError)
            output.push(end, cost: QueueCost(bytes: 0, duration: 0), epoch: epoch)
        }
        drainError = nil
        report(.changed)
    }

    private func finishPass() {
        if let collector { return finishSegment(collector) }
        // Decoding began at the last key frame, and that one alone could not be decoded: what is due is found
        // from an earlier one, in a new epoch.
        if isVideo, filter.hasSeenNothing, drainError == nil, mayLookEarlier {
            isDraining = false
            return landedLate()
        }
        // The picture that was due at the target is the last one, and nothing came after it.
        if let last = filter.drain() { push(last) }
        isDraining = false
        decoder.flush()
        skipper.begin()
        countSkipped()
        output.push(
            .endOfPass(pass, end: lastEnd, drainError),
            cost: QueueCost(bytes: 0, duration: 0),
            epoch: epoch
        )
        lastEnd = nil
        lastTime = nil
        drainError = nil
        hasGivenUp = false
        filter.begin(at: nil)
        report(.changed)
    }

    private func fault(_ error: MediaError) -> StepResult {
        // Told when it comes again with the others.
        if early.isDraining {
            beginAgain()
            return .progressed
        }
        early.failed()
        report(.fault(error))
        faultsInARow += 1
        if error.code == .decoderFailed || faultsInARow >= Self.faultLimit { hasGivenUp = true }
        // A decoder that refuses to drain has nothing more to give.
        if isDraining, held == nil { finishPass() }
        return .progressed
    }
}
