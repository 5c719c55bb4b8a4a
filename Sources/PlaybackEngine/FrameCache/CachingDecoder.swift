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
/// | `recording` | the decoder | `LoopFrameCache` (a pass) or `SeekFrameCache` (a seek) |
/// | `replaying` | the cache | - |
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
        case recording(Kind)
        case replaying(Kind, DecoderReplay)
        case catchingUp(DecoderCatchUp)
    }

    /// The unit that is recorded and replayed.
    private enum Kind {
        case pass, seek
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

    var isCatchingUp: Bool {
        switch mode {
        case .catchingUp: true
        case .decoding, .recording: base.isCatchingUp
        // The decoder may be waiting at the end of a record, with packets that are not needed any more.
        case .fresh, .replaying: false
        }
    }

    var isServingCachedFrames: Bool {
        switch mode {
        case .replaying(.pass, _): true
        // At a seam, the next packet is probably the first one of the pass again.
        case .fresh: loopCache.hasPass && isPassStart
        case .decoding, .recording, .replaying(.seek, _), .catchingUp: false
        }
    }

    func begin(_ start: EpochStart) {
        isReverse = start.isReverse
        isPassStart = (start.demuxTarget ?? .zero) <= .zero
        seekCache?.begin(start)
    }

    func resume(at start: EpochStart) { seekCache?.resume(at: start) }

    func keptFrame(for target: MediaTime, within distance: MediaTime) -> KeptFrame? {
        loopCache.hasPass ? .due : seekCache?.keptFrame(for: target, within: distance)
    }

    func makeKeyFrameDecoder() throws(MediaError) -> (any Decoder)? { try base.makeKeyFrameDecoder() }

    func skip(_ skipping: DecodeSkipping) { requestedSkipping = skipping }

    func flush() {
        switch mode {
        case .recording(.seek): resumableRecordID = seekCache?.finishRecording()
        case .recording(.pass): loopCache.finish()
        // The decoder was idle, whether or not it can continue.
        case .fresh, .replaying(.seek, _): break
        case .catchingUp(let catchUp) where !catchUp.hasBegun: break
        case .decoding, .replaying(.pass, _), .catchingUp: resumableRecordID = nil
        }
        // A drained decoder releases its memory. Any other one is flushed when it receives its next packet, because a
        // flush waits until the packets that have been sent are decoded.
        if resumableRecordID == nil, hasEnded { flushBase() }
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
        case .replaying(let kind, let replay):
            switch replay.accept(packet, skipping: requestedSkipping) {
            case .accepted:
                if packet != nil { packetCount += 1 }
                return true
            case .outputFirst: return false
            case .diverged:
                switch kind {
                case .seek: if canContinue(after: replay) { return try send(packet) }
                // A drain after the first packet belongs to the fast first frame. The pass is still valid.
                case .pass: if packet != nil || replay.sent.count != 1 { loopCache.discard() }
                }
                catchUp(replay)
                return false
            }
        case .catchingUp: return false
        case .fresh, .decoding, .recording: return try sendToBase(packet)
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
        guard case .recording(let kind) = mode else { return true }
        let isRecorded =
            switch kind {
            case .pass: loopCache.note(packet, level)
            case .seek: seekCache?.note(packet, level) ?? false
            }
        if !isRecorded { mode = .decoding }
        return true
    }

    /// Near a seek's target, frames that the seek does not show are decoded for the steps that follow.
    private func level(of packet: Packet?) -> DecodeSkipping {
        guard case .recording(.seek) = mode, let packet, let seekCache, seekCache.shouldDecode(packet),
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
            return .replaying(.pass, pass)
        }
        if let seek = seekCache?.replay(from: packet) {
            if resumableRecordID != seek.record.id { flushBase() }
            return .replaying(.seek, seek)
        }
        flushBase()
        if isPassStart, !isReverse, loopCache.begin(packet, requestedSkipping) { return .recording(.pass) }
        if seekCache?.record(packet) == true { return .recording(.seek) }
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
        case .replaying(.pass, let replay): return nextOfPass(replay)
        case .replaying(.seek, let replay): return try nextOfSeek(replay)
        case .catchingUp(let catchUp): return try continueCatchUp(catchUp)
        // The decoder may be waiting at the end of a record.
        case .fresh: return .needsInput
        case .decoding, .recording: return try receiveFromBase()
        }
    }

    private func nextOfPass(_ replay: DecoderReplay) -> DecoderOutput {
        guard case .output? = replay.current else { return replay.isAtEnd ? ended() : .needsInput }
        guard let output = loopCache.output(replay.output) else {
            loopCache.discard()
            catchUp(replay)
            return .needsInput
        }
        replay.advanceOutput(isDelivered: true)
        return output
    }

    private func nextOfSeek(_ replay: DecoderReplay) throws(MediaError) -> DecoderOutput {
        guard !replay.isExhausted else {
            if !replay.acceptsMore() { catchUp(replay) }
            return .needsInput
        }
        while case .output(let time)? = replay.current {
            if let frame = seekCache?.frame(at: time, of: replay.record) {
                replay.advanceOutput(isDelivered: true)
                return .video(frame)
            }
            guard replay.isOptional else {
                catchUp(replay)
                return .needsInput
            }
            replay.advanceOutput(isDelivered: false)
        }
        guard replay.isAtEnd else { return .needsInput }
        if replay.record.hasEnded { return ended() }
        if canContinue(after: replay) { return try receiveFromBase() }
        if replay.record.isDrained { catchUp(replay) }
        return .needsInput
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
        guard case .recording(let kind) = mode else { return }
        let isRecorded =
            switch kind {
            case .pass: loopCache.note(output)
            case .seek: seekCache?.note(output) ?? false
            }
        if !isRecorded { mode = .decoding }
    }

    /// Ends a recording after an error, because the packets that failed may be decoded the next time.
    private func abandonRecording() {
        guard case .recording(let kind) = mode else { return }
        switch kind {
        case .pass: loopCache.discard()
        case .seek: seekCache?.discard()
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
        mode = .recording(.seek)
        return true
    }

    private func catchUp(_ replay: DecoderReplay) {
        mode = .catchingUp(DecoderCatchUp(replay, isVideo: track.mediaType == .video))
    }

    /// Sends one packet or receives one frame, so that audio on the same lane and a new seek need not wait.
    private func continueCatchUp(_ catchUp: DecoderCatchUp) throws(MediaError) -> DecoderOutput {
        if !catchUp.hasBegun {
            flushBase()
            catchUp.begin()
        }
        let output = try base.receive()
        switch output {
        case .video, .audio:
            return catchUp.isNew(output) ? output : .needsInput
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
                throw error
            }
            return .needsInput
        }
    }
}
