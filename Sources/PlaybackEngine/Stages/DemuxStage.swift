import MediaCore
import PlayheadBackend
import Synchronization

/// Reads packets and hands them to the decoders, as far ahead as the bounds allow. Where the item loops it
/// goes on at the start when it comes to the end, so that the next pass lies decoded before this one is over.
///
/// `@unchecked Sendable`: what is neither locked nor atomic is confined to the loading lane.
final class DemuxStage: Stage, @unchecked Sendable {
    /// Read at the start of each step.
    let request: Locked<ReadRequest>
    private let demuxer: any Demuxer
    private let queues: [Int: PacketQueue]
    /// The same, for those who look at all of them.
    private let inputs: [(track: Int, queue: PacketQueue)]
    private let backpressure: PacketBackpressure
    private let declaredEnd: DeclaredEnd
    private let description: MediaDescription
    private let videoTrack: Int?
    private let loopSetting: LoopSetting
    private let report: @Sendable (StageReport) -> Void
    /// Wakes the decoder of a track.
    private let wakeDecoder: @Sendable (Int) -> Void

    // Confined to the loading lane: only `step()` touches what follows, and the owner before the first step.
    /// The demuxer says when it is worth asking again.
    var demuxerReportsReadiness = false
    private var epoch: Epoch
    private var hasBegun = false
    private var pass = 0
    private var packetsInPass = 0
    /// A packet of the pass went to its decoder.
    private var hasPushed = false
    private var isAtEnd = false
    /// A call was interrupted: nothing is read until the epoch that did it begins.
    private var isInterrupted = false
    /// The demuxer's position means nothing until a seek succeeds.
    private var mustSeek = false
    /// A seek that found nothing at hand, to be tried again.
    private var pendingSeek: MediaTime?
    private var failure: MediaError?
    private var consecutiveFaults = 0
    private var lastEnd: MediaTime = .zero
    private var hasUntimedPackets = false
    private var tracksPastEnd: Set<Int> = []
    private var history: PacketHistory
    /// Non-nil while playing backward.
    private var segment: ReverseSegment?
    /// The segment that is wanted next while playing backward.
    private let reverseRequest: Locked<ReverseSegment?>

    /// Set when the data ended for good in `epoch`; read by the loop for the buffer level.
    let endedEpoch = Locked<Epoch?>(nil)
    /// Set while nothing is read: the bounds are reached, or the data has ended.
    let readIdle = Locked<ReadIdle?>(nil)
    /// The epoch in which reading waits for bytes; nil while it goes on.
    let waitingEpoch = Locked<Epoch?>(nil)
    /// How far reading has come; read by the loop.
    let progress: Locked<ReadingProgress>
    /// Somebody waits for data: each packet is told of.
    let reportsProgress = Atomic<Bool>(false)
    /// Faults in a row that are taken before the rest of the data is given up.
    private static let maximumConsecutiveFaults = 100

    init(
        demuxer: any Demuxer,
        description: MediaDescription,
        queues: [Int: PacketQueue],
        request: ReadRequest,
        loopSetting: LoopSetting,
        reverseRequest: Locked<ReverseSegment?>,
        allowsBursts: Bool,
        wakeDecoder: @escaping @Sendable (Int) -> Void,
        report: @escaping @Sendable (StageReport) -> Void
    ) {
        self.demuxer = demuxer
        self.description = description
        videoTrack = description.tracks.first { $0.mediaType == .video && queues[$0.id] != nil }?.id
        self.queues = queues
        inputs = queues.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        backpressure = PacketBackpressure(inputs, videoTrack: videoTrack, allowsBursts: allowsBursts)
        declaredEnd = DeclaredEnd(description, played: Set(queues.keys))
        self.request = Locked(request)
        self.loopSetting = loopSetting
        self.reverseRequest = reverseRequest
        self.wakeDecoder = wakeDecoder
        self.report = report
        epoch = request.start.epoch
        let mediaTracks = description.tracks.filter { $0.mediaType == .audio || $0.mediaType == .video }
        let tracks = Set(mediaTracks.map(\.id)).intersection(queues.keys)
        history = PacketHistory(syncTrack: videoTrack, tracks: tracks)
        progress = Locked(ReadingProgress(epoch: request.start.epoch, tracks: tracks))
    }

    func step() -> StepResult {
        let request = self.request.withLock { $0 }
        if !hasBegun || request.start.epoch != epoch { return begin(request.start) }
        if isInterrupted { return .finished }
        if let target = pendingSeek { return seek(to: target) }
        if isAtEnd, segment != nil { return nextSegment() }
        if isAtEnd { return request.isLooping ? loop(request) : finish() }
        guard
            backpressure.mayRead(
                request.currentLimits,
                isReverse: segment != nil,
                hasCachedPackets: history.hasNext
            )
        else {
            becomeIdle()
            return .needsSpace
        }
        readIdle.withLock { $0 = nil }
        return read(request)
    }

    private func begin(_ start: EpochStart) -> StepResult {
        hasBegun = true
        backpressure.begin()
        epoch = start.epoch
        pass = 0
        resetPass()
        progress.withLock { $0.begin(start.epoch) }
        failure = nil
        segment = start.isReverse ? ReverseSegment(start) : nil
        demuxer.begin(epoch)
        isInterrupted = false
        pendingSeek = nil
        setWaiting(false)
        guard let target = start.demuxTarget ?? (mustSeek ? .zero : nil) else { return .progressed }
        return seek(to: target)
    }

    /// Backward the decoding stage says where to read next, when it has what it was given.
    private func nextSegment() -> StepResult {
        guard failure == nil, let next = reverseRequest.withLock({ $0 }), next.epoch == epoch,
            next.number > segment?.number ?? .max
        else { return .needsSpace }
        segment = next
        pass = next.number
        resetPass()
        return seek(to: next.target)
    }

    private func becomeIdle() {
        let now = ReadIdle(epoch: epoch, emptyTracks: inputs.filter(\.queue.isEmpty).map(\.track))
        let isNew = readIdle.withLock { idle in
            defer { idle = now }
            return idle != now
        }
        if isNew { report(.idle) }
    }

    private func finish() -> StepResult {
        becomeIdle()
        return .finished
    }

    private func loop(_ request: ReadRequest) -> StepResult {
        // A pass without a packet, or with none before its end, would go round for ever.
        guard failure == nil, hasPushed else { return finish() }
        trimHistory(request)
        pass += 1
        resetPass()
        return seek(to: .zero)
    }

    private func resetPass() {
        packetsInPass = 0
        hasPushed = false
        isAtEnd = false
        consecutiveFaults = 0
        lastEnd = .zero
        tracksPastEnd = []
        endedEpoch.withLock { $0 = nil }
    }

    private func seek(to target: MediaTime) -> StepResult {
        // What was kept leads on to where the demuxer stands, if it stands anywhere.
        if !mustSeek, history.rewind(to: target) { return .progressed }
        history.begin(at: target)
        pendingSeek = nil
        do throws(MediaError) {
            try demuxer.seek(to: target, preference: .atOrBefore)
            mustSeek = false
            setWaiting(false)
        } catch {
            switch error.code {
            case .cancelled: return interrupt()
            case .notReady:
                pendingSeek = target
                return wait()
            default: end(error)
            }
        }
        return .progressed
    }

    // MARK: Waiting for bytes

    /// The demuxer has nothing at hand: it is asked again when it says so.
    private func wait() -> StepResult {
        // An interruption looks the same. What comes next is there already.
        if request.withLock({ $0.start.epoch }) != epoch { return .progressed }
        if demuxerReportsReadiness {
            reportWaiting()
        } else {
            setWaiting(true)
            report(.needsPolling(epoch))
        }
        return .needsInput
    }

    /// A call of the demuxer's was interrupted in the middle.
    private func interrupt() -> StepResult {
        isInterrupted = true
        mustSeek = true
        return .progressed
    }

    /// The demuxer waits for bytes: inside a call, on the loading lane, or between two.
    func reportWaiting() {
        if setWaiting(true) { report(.waiting(epoch)) }
    }

    /// True where that is new.
    @discardableResult
    private func setWaiting(_ isWaiting: Bool) -> Bool {
        let epoch = isWaiting ? epoch : nil
        return waitingEpoch.withLock { waiting in
            defer { waiting = epoch }
            return waiting != epoch
        }
    }

    /// From what was kept, as long as that leads on; then from the demuxer.
    private func nextPacket(_ request: ReadRequest) throws(MediaError) -> (packet: Packet, isNew: Bool)? {
        if let kept = history.next() { return (kept, false) }
        if history.hasEnded { return nil }
        guard let packet = try demuxer.read() else {
            history.end()
            return nil
        }
        setWaiting(false)
        history.append(packet)
        trimHistory(request)
        return (packet, true)
    }

    private func trimHistory(_ request: ReadRequest) {
        let backBuffer = request.backBuffer
        var queuedBytes = 0
        var ahead: Int64 = 0
        for (track, queue) in inputs {
            let level = queue.level
            queuedBytes += level.bytes
            if track == videoTrack || videoTrack == nil { ahead = max(ahead, level.duration) }
        }
        let keptDuration = MediaTime(nanoseconds: ahead &+ min(backBuffer.duration, 3_600_000_000_000))
        // A loop that fits into the bytes is read once, where that spares more than a look into a file.
        let isWorthKeeping = !description.isLocal || loopSetting.cachedPassCount == queues.count
        let keepsWholePass = request.isLooping && backBuffer.duration > 0 && isWorthKeeping
        history.trim(
            before: keepsWholePass ? .negativeInfinity : lastEnd - keptDuration,
            bytes: backBuffer.bytes,
            queuedBytes: queuedBytes
        )
    }

    /// From any thread, when a packet was taken from a queue.
    var shouldWake: Bool { backpressure.shouldWake { request.withLock { $0.currentLimits } } }

    private func read(_ request: ReadRequest) -> StepResult {
        do throws(MediaError) {
            guard let (packet, isNew) = try nextPacket(request) else {
                end(truncation, isWhole: true)
                return .progressed
            }
            consecutiveFaults = 0
            push(packet, isNew: isNew, endingAt: request.endTime)
            return .progressed
        } catch {
            return recover(from: error)
        }
    }

    private var truncation: MediaError? {
        guard segment == nil, packetsInPass > 0, !hasUntimedPackets else { return nil }
        return declaredEnd.truncation(at: lastEnd)
    }

    private func push(_ packet: Packet, isNew: Bool, endingAt endTime: MediaTime?) {
        guard let queue = queues[packet.track] else { return }
        if let segment {
            guard packet.track == videoTrack else { return }
            if segment.isPastLimit(packet.decodeTime ?? packet.presentationTime ?? .zero) { return end(nil) }
        }
        packetsInPass += 1
        if let time = packet.presentationTime ?? packet.decodeTime {
            lastEnd = max(lastEnd, time + (packet.duration ?? .zero))
        } else {
            hasUntimedPackets = true
        }
        if let endTime, let time = packet.decodeTime ?? packet.presentationTime, time >= endTime {
            tracksPastEnd.insert(packet.track)
            if tracksPastEnd.count == queues.count { end(nil) }
            return
        }
        hasPushed = true
        let cost = QueueCost(bytes: packet.byteCount, duration: packet.duration?.nanoseconds ?? 0)
        let bufferedRange = history.bufferedRange
        progress.withLock {
            $0.note(packet, pass: pass, isNew: isNew, bufferedRange: bufferedRange)
            if packet.track == videoTrack { $0.noteVideo(packet) }
        }
        queue.push(.packet(packet, pass: pass), cost: cost, epoch: epoch)
        wakeDecoder(packet.track)
        if reportsProgress.load(ordering: .relaxed) { report(.changed) }
    }

    private func recover(from error: MediaError) -> StepResult {
        switch error.code {
        case .cancelled: return interrupt()
        case .notReady: return wait()
        default:
            setWaiting(false)
            consecutiveFaults += 1
            guard error.isRetryable, consecutiveFaults < Self.maximumConsecutiveFaults else {
                end(error)
                return .progressed
            }
            report(.fault(error))
            return .progressed
        }
    }

    private func end(_ error: MediaError?, isWhole: Bool = false) {
        isAtEnd = true
        failure = error
        setWaiting(false)
        for (track, queue) in inputs where segment == nil || track == videoTrack {
            queue.push(.endOfPass(pass, error), cost: QueueCost(bytes: 0, duration: 0), epoch: epoch)
        }
        if segment == nil, error == nil { progress.withLock { $0.finish(pass: pass, isWhole: isWhole) } }
        if segment == nil { endedEpoch.withLock { $0 = epoch } }
        for (track, _) in inputs { wakeDecoder(track) }
        report(.changed)
    }
}
