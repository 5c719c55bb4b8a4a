import MediaCore
import PlayheadBackend
import Synchronization

/// Whether an item loops. Set by the loop, read by its decoders.
final class LoopSetting: Sendable {
    private let isOn = Atomic<Bool>(false)
    var isLooping: Bool { isOn.load(ordering: .relaxed) }
    func set(_ isLooping: Bool) { isOn.store(isLooping, ordering: .relaxed) }

    /// Decoders of the item that keep a lap, or are about to.
    private let cachedPasses = Atomic<Int>(0)
    var cachedPassCount: Int { cachedPasses.load(ordering: .relaxed) }
    func noteCachedPass(isKept: Bool) { cachedPasses.add(isKept ? 1 : -1, ordering: .relaxed) }
}

/// Gives frames again that were decoded before: in the laps of a loop, and where a seek or a step leads near
/// to the one before.
///
/// A decorator. What a decoder gives depends on nothing but the packets since its last flush. So this one
/// notes which packets came and what came out between them. As long as the same packets come again after a
/// flush, it answers from that, and the decoder rests. Whoever calls it sees the same answers to the same
/// calls in either case, so events and their order do not change. Where the packets are others, or frames had
/// to leave the cache, the decoder is given what it has missed and goes on from there.
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` demands.
final class CachingDecoder: EpochDecoder, @unchecked Sendable {
    private let base: any Decoder
    private let track: Track
    private var loopCache: LoopFrameCache
    /// nil for audio.
    private var seekCache: SeekFrameCache?

    private var mode = Mode.fresh
    /// What the caller wants to have left out, and what the decoder was told.
    private var requestedSkipping = DecodeSkipping.none
    private var appliedSkipping = DecodeSkipping.none
    /// The decoder was given something since it was flushed.
    private var hasSentToBase = false
    /// Frames of a run came out of the decoder, and it can go on behind them: it is not flushed before it is
    /// needed.
    private var resumableRecordID: Int?
    /// Since the last flush, without the drain.
    private var packetCount = 0
    private var hasEnded = false
    /// The next packet is the first one of a pass.
    private var isPassStart = true
    /// Segments that are played backward are no laps.
    private var isReverse = false

    private enum Mode {
        /// Nothing was sent since the last flush.
        case fresh
        case decoding
        case recordingPass
        case recordingSeek
        case replayingPass(DecoderReplay)
        case replayingSeek(DecoderReplay)
        case catchingUp(DecoderCatchUp)
    }

    init(
        _ base: any Decoder,
        of track: Track,
        duration: MediaTime,
        share: FrameCacheShare,
        setting: LoopSetting
    ) {
        self.base = base
        self.track = track
        loopCache = LoopFrameCache(track: track, duration: duration, share: share, setting: setting)
        seekCache = track.mediaType == .video ? SeekFrameCache(track: track, share: share) : nil
    }

    var hasOutputDelay: Bool { base.hasOutputDelay }

    var isCatchingUp: Bool {
        switch mode {
        case .catchingUp: true
        case .decoding, .recordingPass, .recordingSeek: base.isCatchingUp
        // It may be parked, with packets that nobody wants any more.
        case .fresh, .replayingPass, .replayingSeek: false
        }
    }

    var isServingCachedFrames: Bool {
        switch mode {
        case .replayingPass: true
        // At the seam: the next packet most likely begins the lap again.
        case .fresh: loopCache.hasPass && isPassStart
        case .decoding, .recordingPass, .recordingSeek, .replayingSeek, .catchingUp: false
        }
    }

    func begin(_ start: EpochStart) {
        (base as? any EpochDecoder)?.begin(start)
        isReverse = start.isReverse
        isPassStart = (start.demuxTarget ?? .zero) <= .zero
        seekCache?.begin(start)
    }

    func resume(at start: EpochStart) {
        (base as? any EpochDecoder)?.resume(at: start)
        seekCache?.resume(at: start)
    }

    func skip(_ skipping: DecodeSkipping) { requestedSkipping = skipping }

    func flush() {
        switch mode {
        case .recordingSeek: resumableRecordID = seekCache?.finishRecording()
        case .recordingPass: loopCache.finish()
        // Parked or not, the decoder rested.
        case .fresh, .replayingSeek: break
        case .catchingUp(let catchUp) where !catchUp.hasBegun: break
        case .decoding, .replayingPass, .catchingUp: resumableRecordID = nil
        }
        if resumableRecordID == nil { flushBase() }
        isPassStart = hasEnded && packetCount > 1 || isPassStart && packetCount <= 1
        mode = .fresh
        packetCount = 0
        hasEnded = false
        seekCache?.end()
        loopCache.didFlush()
    }

    private func flushBase() {
        if hasSentToBase { base.flush() }
        hasSentToBase = false
        resumableRecordID = nil
    }

    // MARK: Packets

    func send(_ packet: Packet?) throws(MediaError) -> Bool {
        if case .fresh = mode { mode = begin(packet) }
        switch mode {
        case .replayingPass(var replay):
            // Frees the copy, so that what was sent is not copied with each packet.
            mode = .decoding
            let answer = replay.accept(packet, skipping: requestedSkipping)
            mode = .replayingPass(replay)
            if answer == .diverged {
                // A drain behind the first packet is the early first frame, and the lap is worth keeping.
                if packet != nil || replay.sent.count != 1 { loopCache.discard() }
                catchUp(replay)
            }
            if answer == .accepted, packet != nil { packetCount += 1 }
            return answer == .accepted
        case .replayingSeek(var replay):
            mode = .decoding
            let answer = replay.accept(packet, skipping: requestedSkipping)
            mode = .replayingSeek(replay)
            if answer == .diverged {
                if canContinue(after: replay) { return try send(packet) }
                catchUp(replay)
            }
            if answer == .accepted, packet != nil { packetCount += 1 }
            return answer == .accepted
        case .catchingUp: return false
        case .fresh, .decoding, .recordingPass, .recordingSeek: return try sendToBase(packet)
        }
    }

    private func sendToBase(_ packet: Packet?) throws(MediaError) -> Bool {
        let level = level(of: packet)
        applySkipping(level)
        hasSentToBase = true
        do throws(MediaError) {
            guard try base.send(packet) else { return false }
        } catch {
            abandonRecording()
            throw error
        }
        if packet != nil { packetCount += 1 }
        switch mode {
        case .recordingPass: if !loopCache.note(packet, level) { mode = .decoding }
        case .recordingSeek: if seekCache?.note(packet, level) != true { mode = .decoding }
        case .fresh, .decoding, .replayingPass, .replayingSeek, .catchingUp: break
        }
        return true
    }

    /// Near a seek's target, frames that the seek does not show are decoded for the steps that follow.
    private func level(of packet: Packet?) -> DecodeSkipping {
        guard case .recordingSeek = mode, let packet, let seekCache, seekCache.shouldDecode(packet),
            requestedSkipping == .nonReference
        else {
            return requestedSkipping
        }
        return .none
    }

    private func applySkipping(_ level: DecodeSkipping) {
        guard level != appliedSkipping else { return }
        appliedSkipping = level
        base.skip(level)
    }

    /// The first packet since the last flush decides where its frames come from.
    private func begin(_ packet: Packet?) -> Mode {
        guard let packet else {
            flushBase()
            return .decoding
        }
        if let pass = loopCache.replay(from: packet) {
            // A lap has all frames, so a seek finds what it looks for.
            flushBase()
            return .replayingPass(pass)
        }
        if let seek = seekCache?.replay(from: packet) {
            if resumableRecordID != seek.record.id { flushBase() }
            return .replayingSeek(seek)
        }
        flushBase()
        if isPassStart, !isReverse, loopCache.begin(packet, requestedSkipping) { return .recordingPass }
        if seekCache?.record(packet) == true { return .recordingSeek }
        return .decoding
    }

    // MARK: Frames

    func receive() throws(MediaError) -> DecoderOutput {
        let output = try next()
        if case .video(let frame) = output { seekCache?.noteFrame(frame.presentationTime) }
        return output
    }

    private func next() throws(MediaError) -> DecoderOutput {
        switch mode {
        case .replayingPass(let replay):
            guard case .output? = replay.current else { return replay.isAtEnd ? ended() : .needsInput }
            guard let output = loopCache.output(replay.output) else {
                loopCache.discard()
                catchUp(replay)
                return .needsInput
            }
            advance(isDelivered: true)
            return output
        case .replayingSeek(let replay): return try next(of: replay)
        case .catchingUp(var catchUp):
            mode = .decoding
            let output = try continueCatchUp(&catchUp)
            return output
        // The decoder itself may be parked at the end of a run.
        case .fresh: return .needsInput
        case .decoding, .recordingPass, .recordingSeek: return try receiveFromBase()
        }
    }

    private func next(of replay: DecoderReplay) throws(MediaError) -> DecoderOutput {
        var replay = replay
        guard !replay.isExhausted else {
            // Frees the copy.
            mode = .decoding
            if replay.acceptsMore() { mode = .replayingSeek(replay) } else { catchUp(replay) }
            return .needsInput
        }
        while case .output(let time)? = replay.current {
            if let frame = seekCache?.frame(at: time, of: replay.record) {
                advance(isDelivered: true)
                return .video(frame)
            }
            guard replay.isOptional else {
                catchUp(replay)
                return .needsInput
            }
            advance(isDelivered: false)
            replay.advanceOutput(isDelivered: false)
        }
        guard replay.isAtEnd else { return .needsInput }
        if replay.record.hasEnded { return ended() }
        if canContinue(after: replay) { return try receiveFromBase() }
        if replay.record.isDrained { catchUp(replay) }
        return .needsInput
    }

    private func advance(isDelivered: Bool) {
        let old = mode
        mode = .decoding
        switch old {
        case .replayingPass(var replay):
            replay.advanceOutput(isDelivered: isDelivered)
            mode = .replayingPass(replay)
        case .replayingSeek(var replay):
            replay.advanceOutput(isDelivered: isDelivered)
            mode = .replayingSeek(replay)
        case .fresh, .decoding, .recordingPass, .recordingSeek, .catchingUp: mode = old
        }
    }

    private func ended() -> DecoderOutput {
        hasEnded = true
        return .ended
    }

    private func receiveFromBase() throws(MediaError) -> DecoderOutput {
        do throws(MediaError) {
            let output = try base.receive()
            if case .ended = output { hasEnded = true }
            note(output)
            return output
        } catch {
            abandonRecording()
            throw error
        }
    }

    private func note(_ output: DecoderOutput) {
        switch mode {
        case .recordingPass: if !loopCache.note(output) { mode = .decoding }
        case .recordingSeek: if seekCache?.note(output) != true { mode = .decoding }
        case .fresh, .decoding, .replayingPass, .replayingSeek, .catchingUp: break
        }
    }

    /// What was refused once may come out otherwise the next time.
    private func abandonRecording() {
        switch mode {
        case .recordingPass: loopCache.discard()
        case .recordingSeek: seekCache?.discard()
        case .fresh, .decoding, .replayingPass, .replayingSeek, .catchingUp: return
        }
        mode = .decoding
    }

    // MARK: Catching up

    /// The decoder was not flushed since the run was recorded, and all of it was repeated.
    private func canContinue(after replay: DecoderReplay) -> Bool {
        guard replay.isAtEnd, !replay.isExhausted, resumableRecordID == replay.record.id,
            seekCache?.resumeRecording(replay.record) == true
        else { return false }
        resumableRecordID = nil
        mode = .recordingSeek
        return true
    }

    private func catchUp(_ replay: DecoderReplay) {
        mode = .catchingUp(DecoderCatchUp(replay, isVideo: track.mediaType == .video))
    }

    /// One packet or one frame at a time, so that audio of the same lane and a new seek need not wait.
    private func continueCatchUp(_ catchUp: inout DecoderCatchUp) throws(MediaError) -> DecoderOutput {
        if !catchUp.hasBegun {
            flushBase()
            catchUp.begin()
        }
        // Set again below, unless it is over or an error is thrown.
        mode = .catchingUp(catchUp)
        let output = try base.receive()
        switch output {
        case .video, .audio:
            let isNew = catchUp.isNew(output)
            mode = .catchingUp(catchUp)
            return isNew ? output : .needsInput
        case .ended:
            mode = .decoding
            return ended()
        case .needsInput:
            guard let next = catchUp.next() else {
                mode = .decoding
                return .needsInput
            }
            applySkipping(next.skipping)
            hasSentToBase = true
            do throws(MediaError) {
                if try base.send(next.packet) { catchUp.sent() }
            } catch {
                catchUp.sent()
                mode = .catchingUp(catchUp)
                throw error
            }
            mode = .catchingUp(catchUp)
            return .needsInput
        }
    }
}
