import MediaCore
import PlayheadBackend
import Synchronization

/// Reads packets and queues them for the decoders, as far ahead as the limits allow.
///
/// If the item loops, reading continues at the start after the end of the data, so that the next pass is
/// decoded before the current one is over.
///
/// `@unchecked Sendable`: members that are neither locked nor atomic are confined to the I/O lane.
final class DemuxStage: Stage, @unchecked Sendable {
    /// The loop's request, read at the start of each step.
    let request: Locked<ReadRequest>
    private let demuxer: any Demuxer
    private let queues: [Int: PacketQueue]
    /// The queues in the order of their tracks, for loops over all of them.
    private let inputs: [(track: Int, queue: PacketQueue)]
    private let backpressure: PacketBackpressure
    private let declaredEnd: DeclaredEnd
    private let description: MediaDescription
    private let videoTrack: Int?
    private let loopSetting: LoopSetting
    private let report: @Sendable (StageReport) -> Void
    /// Wakes the decoding stage of a track.
    private let wakeDecoder: @Sendable (Int) -> Void

    // The members that follow are confined to the I/O lane; only `step()` accesses them, and the owner before
    // the first step.
    private var epoch: Epoch
    private var hasBegun = false
    private var pass = 0
    private var packetsInPass = 0
    /// True if a packet of the pass that is presented was queued for a decoder, or if the pass began after the start.
    private var hasPushed = false
    private var isAtEnd = false
    /// True after a call was interrupted. Nothing is read until the epoch that caused the interruption begins.
    private var isInterrupted = false
    /// True if the position of the demuxer is undefined until a seek succeeds.
    private var mustSeek = false
    /// The target of a seek that waits for bytes and must be repeated.
    private var pendingSeek: MediaTime?
    private var failure: MediaError?
    private var consecutiveFaults = 0
    private var lastEnd: MediaTime = .zero
    private var hasUntimedPackets = false
    private var tracksPastEnd: Set<Int> = []
    /// The tracks whose last packet was a field that is played. A field that follows may be the second one of its frame.
    private var tracksAfterField: Set<Int> = []
    /// The packets of the video track past an end that is being read up to.
    private var reorderWindow = ReorderWindow()
    /// The time of the last packet of each track.
    private var lastTimes: [Int: MediaTime] = [:]
    private var history: PacketHistory
    /// The segment being read during reverse playback, otherwise nil.
    private var segment: ReverseSegment?
    /// True while a user drags the position, so that only video is queued.
    private var isScrubbing = false
    /// The segment that the decoding stage requests during reverse playback.
    private let reverseRequest: Locked<ReverseSegment?>

    /// The epoch in which the data has ended. The loop reads it for the buffer level.
    let endedEpoch = Locked<Epoch?>(nil)
    /// Non-nil while nothing is read, because the limits are reached or the data has ended.
    let readIdle = Locked<ReadIdle?>(nil)
    /// The epoch in which reading waits for bytes, or nil if it does not wait.
    let waitingEpoch = Locked<Epoch?>(nil)
    /// The progress of reading, which the loop reads.
    let progress: Locked<ReadingProgress>
    /// True while the loop waits for data, so that each packet is reported.
    let reportsProgress = Atomic<Bool>(false)
    /// The distance after a requested end at which no packet from before that end is expected: 10 s, more than the
    /// distance between interleaved tracks.
    private static let endMargin = MediaTime(value: 10, timescale: 1)
    /// The longest assumed duration of a packet in nanoseconds: 10 s.
    private static let maximumPacketInterval: Int64 = 10_000_000_000
    /// The number of consecutive errors after which the rest of the data is given up.
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
        let preroll = mediaTracks.filter { tracks.contains($0.id) }.preroll(usual: SeekFilter.audioPreroll)
        history = PacketHistory(syncTrack: videoTrack, tracks: tracks, audioPreroll: preroll)
        if let joinTime = description.joinTime { history.begin(at: joinTime) }
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
                omitsAudio: segment != nil || isScrubbing,
                hasCachedPackets: segment == nil && history.hasNext
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
        // Nothing may follow before the end, but the next pass begins at the start.
        hasPushed = (start.demuxTarget ?? .zero) > .zero
        progress.withLock { $0.begin(start.epoch) }
        failure = nil
        segment = start.isReverse ? ReverseSegment(start) : nil
        isScrubbing = start.isScrubbing && videoTrack != nil
        demuxer.begin(epoch)
        isInterrupted = false
        pendingSeek = nil
        setWaiting(false)
        let beginning = description.joinTime ?? .zero
        guard let target = start.demuxTarget ?? (mustSeek ? beginning : nil) else { return .progressed }
        // A source that cannot seek is there already.
        if !description.isSeekable, !mustSeek, target <= .zero, history.isAtBeginning { return .progressed }
        return seek(to: target)
    }

    /// Starts the next segment of reverse playback, if the decoding stage has requested one.
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
        // A pass without a packet before its end would repeat indefinitely.
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
        tracksAfterField = []
        reorderWindow = ReorderWindow()
        lastTimes = [:]
        endedEpoch.withLock { $0 = nil }
    }

    private func seek(to target: MediaTime) -> StepResult {
        // The history is contiguous with the demuxer's position only if that position is defined.
        if !mustSeek, history.rewind(to: target) { return .progressed }
        history.begin(at: target)
        pendingSeek = nil
        do throws(MediaError) {
            guard case .ready = try demuxer.seek(to: target, preference: .atOrBefore) else {
                pendingSeek = target
                return wait()
            }
            mustSeek = false
            setWaiting(false)
        } catch {
            if error.code == .cancelled { return interrupt() }
            end(error)
        }
        return .progressed
    }

    // MARK: Waiting for bytes

    /// Handles `.pending`: the call is repeated when the demuxer reports that bytes have arrived.
    private func wait() -> StepResult {
        // An interrupted call is pending as well; the new epoch is then already requested.
        if request.withLock({ $0.start.epoch }) != epoch { return .progressed }
        reportWaiting()
        return .needsInput
    }

    /// Handles a demuxer call that was interrupted while it ran.
    private func interrupt() -> StepResult {
        isInterrupted = true
        mustSeek = true
        return .progressed
    }

    /// Reports that the demuxer waits for bytes, inside a call on the I/O lane or between two calls.
    func reportWaiting() {
        if setWaiting(true) { report(.waiting(epoch)) }
    }

    /// Returns true if the state has changed.
    @discardableResult
    private func setWaiting(_ isWaiting: Bool) -> Bool {
        let epoch = isWaiting ? epoch : nil
        return waitingEpoch.withLock { waiting in
            defer { waiting = epoch }
            return waiting != epoch
        }
    }

    /// Returns the next packet from the history if it has one, else from the demuxer.
    private func nextPacket(_ request: ReadRequest) throws(MediaError)
        -> Poll<(packet: Packet, isNew: Bool)?>
    {
        if let kept = history.next() { return .ready((kept, false)) }
        if history.hasEnded { return .ready(nil) }
        guard case .ready(let next) = try demuxer.read() else { return .pending }
        guard let packet = next else {
            history.end()
            return .ready(nil)
        }
        setWaiting(false)
        history.append(packet)
        trimHistory(request)
        return .ready((packet, true))
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
        // A whole pass that fits into the byte limit is kept if that saves more than reading a local file
        // again.
        let isWorthKeeping = !description.isLocal || loopSetting.cachedPassCount == queues.count
        let keepsWholePass = request.isLooping && backBuffer.duration > 0 && isWorthKeeping
        history.trim(
            before: keepsWholePass ? .negativeInfinity : lastEnd - keptDuration,
            bytes: backBuffer.bytes,
            queuedBytes: queuedBytes
        )
    }

    /// Whether the stage must be woken after a packet was removed from a queue. Any thread.
    var shouldWake: Bool { backpressure.shouldWake { request.withLock { $0.currentLimits } } }

    private func read(_ request: ReadRequest) -> StepResult {
        do throws(MediaError) {
            guard case .ready(let next) = try nextPacket(request) else { return wait() }
            guard let (packet, isNew) = next else {
                end(truncation, reachedDataEnd: tracksPastEnd.isEmpty)
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
        guard let queue = queues[packet.track], segment == nil || packet.track == videoTrack else { return }
        let decodeTime = packet.decodeTime ?? packet.presentationTime
        let isPastLimit = segment?.isPastLimit(decodeTime ?? .zero) ?? false
        var isPastEnd = false
        // Packets that an edit list leaves out may have later times than those of the next segment, which follow. The
        // end has no effect backward from after it.
        if let endTime, let decodeTime, !packet.isDiscarded, segment.map({ $0.limit <= endTime }) ?? true {
            isPastEnd = decodeTime >= endTime
        }
        let isPast = isPastLimit || isPastEnd
        // Packets that are read past an end, because others may refer to them.
        let isKept =
            mayCompleteFrame(packet, isPast: isPast)
            || isPast && packet.track == videoTrack && reorderWindow.mayContinue(after: packet)
        if isPastLimit, !isKept { return end(nil) }
        packetsInPass += 1
        if let time = packet.presentationTime ?? packet.decodeTime {
            if !packet.isDiscarded { lastEnd = max(lastEnd, time + (packet.duration ?? .zero)) }
        } else {
            hasUntimedPackets = true
        }
        if isPastEnd, !isKept, let endTime, let decodeTime {
            tracksPastEnd.insert(packet.track)
            // A track that ends before that time has no packet after it, and the rest of the file would be read.
            let isFarPast = decodeTime - endTime >= Self.endMargin
            if tracksPastEnd.count == queues.count || isFarPast { end(nil) }
            return
        }
        if !packet.isDiscarded, !isPastEnd { hasPushed = true }
        let cost = QueueCost(bytes: packet.byteCount, duration: duration(of: packet))
        let bufferedRange = history.bufferedRange
        progress.withLock {
            $0.note(packet, pass: pass, isNew: isNew, bufferedRange: bufferedRange)
            if packet.track == videoTrack, !isPastEnd { $0.noteVideo(packet) }
        }
        guard !isScrubbing || packet.track == videoTrack else { return }
        queue.push(.packet(packet, pass: pass), cost: cost, epoch: epoch)
        wakeDecoder(packet.track)
        if reportsProgress.load(ordering: .relaxed) { report(.changed) }
    }

    /// Returns whether a packet may be the second field of a frame whose first field is played. It is then played too,
    /// also if it is past the end, because a decoder drops a field without the other one.
    private func mayCompleteFrame(_ packet: Packet, isPast: Bool) -> Bool {
        let followsField = tracksAfterField.remove(packet.track) != nil
        if packet.isField, !isPast { tracksAfterField.insert(packet.track) }
        return packet.isField && followsField
    }

    /// Returns the duration of a packet in nanoseconds. That of a packet that declares none, as in Matroska without a
    /// frame rate, is the interval since the previous one, because the limits of what is read ahead are durations.
    private func duration(of packet: Packet) -> Int64 {
        let time = packet.decodeTime ?? packet.presentationTime
        defer { lastTimes[packet.track] = time }
        if let duration = packet.duration?.nanoseconds { return duration }
        guard let time, let last = lastTimes[packet.track] else { return 0 }
        return max(0, min((time - last).nanoseconds ?? 0, Self.maximumPacketInterval))
    }

    private func recover(from error: MediaError) -> StepResult {
        if error.code == .cancelled { return interrupt() }
        setWaiting(false)
        consecutiveFaults += 1
        guard error.isRetryable, consecutiveFaults < Self.maximumConsecutiveFaults else {
            end(error)
            return .progressed
        }
        report(.fault(error))
        return .progressed
    }

    private func end(_ error: MediaError?, reachedDataEnd: Bool = false) {
        isAtEnd = true
        failure = error
        setWaiting(false)
        for (track, queue) in inputs where segment == nil && !isScrubbing || track == videoTrack {
            queue.push(.endOfPass(pass, error), cost: QueueCost(bytes: 0, duration: 0), epoch: epoch)
        }
        if segment == nil, error == nil {
            progress.withLock { $0.finish(pass: pass, reachedDataEnd: reachedDataEnd) }
        }
        if segment == nil { endedEpoch.withLock { $0 = epoch } }
        for (track, _) in inputs { wakeDecoder(track) }
        report(.changed)
    }
}
