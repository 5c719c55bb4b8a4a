import MediaCore
import PlayheadBackend

/// Returns frames again that were decoded before: in the passes of a loop, and after a seek or a step close to
/// an earlier one.
///
/// It is a decorator. The output of a decoder depends only on the packets since its last flush. The decorator
/// therefore records the packets and the output between them. As long as the same packets arrive again after a
/// flush, it answers from the cache, and the decoder is idle. A caller receives the same results for the same
/// calls in either case, so events and their order do not change. If the packets differ, or if frames have been
/// evicted from the cache, the decoder is sent the packets that it has missed and continues from there.
///
/// | Mode | Output comes from | Recorded in |
/// |---|---|---|
/// | `fresh` | nothing sent since the flush | - |
/// | `decoding` | the decoder | - |
/// | `recordingPass`, `recordingSeek` | the decoder | `LoopFrameCache`, `SeekFrameCache` |
/// | `replayingPass`, `replayingSeek` | the cache | - |
/// | `catchingUp` | the decoder, which is sent what was replayed | - |
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` requires.
final class CachingDecoder: EpochDecoder, @unchecked Sendable {
    private let base: any Decoder
    private let track: Track
    private var loopCache: LoopFrameCache
    /// The cache for seeks, or nil for audio.
    private var seekCache: SeekFrameCache?

    private var mode = Mode.fresh
    /// The frames that the caller wants to skip, and those that the decoder was last requested to skip.
    private var requestedSkipping = DecodeSkipping.none
    private var appliedSkipping = DecodeSkipping.none
    /// True if the decoder has been sent anything since it was flushed.
    private var hasSentToBase = false
    /// The identifier of the record after which the decoder can continue. While it is set, the decoder is not
    /// flushed before it is needed.
    private var resumableRecordID: Int?
    /// The number of packets since the last flush, not counting the drain.
    private var packetCount = 0
    private var hasEnded = false
    /// True if the next packet is the first one of a pass.
    private var isPassStart = true
    /// True during reverse playback, whose segments are not passes of a loop.
    private var isReverse = false

    private enum Mode {
        /// Nothing has been sent since the last flush.
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
        // The decoder may be waiting at the end of a record, with packets that are not needed any more.
        case .fresh, .replayingPass, .replayingSeek: false
        }
    }

    var isServingCachedFrames: Bool {
        switch mode {
        case .replayingPass: true
        // At a seam, the next packet is probably the first one of the pass again.
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
        // The decoder was idle, whether or not it can continue.
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
            // Releases the copy in `mode`, so that the array of sent packets is not copied for each packet.
            mode = .decoding
            let answer = replay.accept(packet, skipping: requestedSkipping)
            mode = .replayingPass(replay)
            if answer == .diverged {
                // A drain after the first packet belongs to the fast first frame. The pass is still valid.
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

    /// Selects the mode from the first packet since the last flush.
    private func begin(_ packet: Packet?) -> Mode {
        guard let packet else {
            flushBase()
            return .decoding
        }
        if let pass = loopCache.replay(from: packet) {
            // A pass has all frames, so a seek finds its frame in it.
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
        // The decoder may be waiting at the end of a record.
        case .fresh: return .needsInput
        case .decoding, .recordingPass, .recordingSeek: return try receiveFromBase()
        }
    }

    private func next(of replay: DecoderReplay) throws(MediaError) -> DecoderOutput {
        var replay = replay
        guard !replay.isExhausted else {
            // Releases the copy in `mode`.
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

    /// Ends a recording after an error, because the packets that failed may be decoded the next time.
    private func abandonRecording() {
        switch mode {
        case .recordingPass: loopCache.discard()
        case .recordingSeek: seekCache?.discard()
        case .fresh, .decoding, .replayingPass, .replayingSeek, .catchingUp: return
        }
        mode = .decoding
    }

    // MARK: Catching up

    /// Returns whether the decoder can continue, because it has not been flushed since the record was made and
    /// all of the record has been replayed.
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

    /// Sends one packet or receives one frame, so that audio on the same lane and a new seek need not wait.
    private func continueCatchUp(_ catchUp: inout DecoderCatchUp) throws(MediaError) -> DecoderOutput {
        if !catchUp.hasBegun {
            flushBase()
            catchUp.begin()
        }
        // It is set again below, unless catching up has ended or an error is thrown.
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
