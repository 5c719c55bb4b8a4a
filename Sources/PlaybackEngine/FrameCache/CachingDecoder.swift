import MediaCore
import PlayheadBackend
import Synchronization

/// Whether an item loops. Set by the loop, read by its decoders.
final class LoopSetting: Sendable {
    private let isOn = Atomic<Bool>(false)
    var isLooping: Bool { isOn.load(ordering: .relaxed) }
    func set(_ isLooping: Bool) { isOn.store(isLooping, ordering: .relaxed) }

    /// Decoders of the item that keep a lap, or are about to.
    private let laps = Atomic<Int>(0)
    var lapCount: Int { laps.load(ordering: .relaxed) }
    func noteLap(isKept: Bool) { laps.add(isKept ? 1 : -1, ordering: .relaxed) }
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
    private var laps: LoopFrameCache
    /// nil for audio.
    private var runs: SeekFrameCache?

    private var mode = Mode.fresh
    /// What the caller wants to have left out, and what the decoder was told.
    private var wanted = DecodeSkipping.none
    private var told = DecodeSkipping.none
    /// The decoder was given something since it was flushed.
    private var isUsed = false
    /// Frames of a run came out of the decoder, and it can go on behind them: it is not flushed before it is
    /// needed.
    private var parked: Int?
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
        case recordingLap
        case recordingRun
        case repeatingLap(DecoderReplay)
        case repeatingRun(DecoderReplay)
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
        laps = LoopFrameCache(track: track, duration: duration, share: share, setting: setting)
        runs = track.mediaType == .video ? SeekFrameCache(track: track, share: share) : nil
    }

    var hasOutputDelay: Bool { base.hasOutputDelay }

    var isCatchingUp: Bool {
        switch mode {
        case .catchingUp: true
        case .decoding, .recordingLap, .recordingRun: base.isCatchingUp
        // It may be parked, with packets that nobody wants any more.
        case .fresh, .repeatingLap, .repeatingRun: false
        }
    }

    var isRepeating: Bool {
        switch mode {
        case .repeatingLap: true
        // At the seam: the next packet most likely begins the lap again.
        case .fresh: laps.isKept && isPassStart
        case .decoding, .recordingLap, .recordingRun, .repeatingRun, .catchingUp: false
        }
    }

    func begin(_ start: EpochStart) {
        (base as? any EpochDecoder)?.begin(start)
        isReverse = start.isReverse
        isPassStart = (start.demuxTarget ?? .zero) <= .zero
        runs?.begin(start)
    }

    func goOn(to start: EpochStart) {
        (base as? any EpochDecoder)?.goOn(to: start)
        runs?.goOn(to: start)
    }

    func skip(_ skipping: DecodeSkipping) { wanted = skipping }

    func flush() {
        switch mode {
        case .recordingRun: parked = runs?.park()
        case .recordingLap: laps.finish()
        // Parked or not, the decoder rested.
        case .fresh, .repeatingRun: break
        case .catchingUp(let catchUp) where !catchUp.hasBegun: break
        case .decoding, .repeatingLap, .catchingUp: parked = nil
        }
        if parked == nil { flushBase() }
        isPassStart = hasEnded && packetCount > 1 || isPassStart && packetCount <= 1
        mode = .fresh
        packetCount = 0
        hasEnded = false
        runs?.end()
        laps.flushed()
    }

    private func flushBase() {
        if isUsed { base.flush() }
        isUsed = false
        parked = nil
    }

    // MARK: Packets

    func send(_ packet: Packet?) throws(MediaError) -> Bool {
        if case .fresh = mode { mode = begin(packet) }
        switch mode {
        case .repeatingLap(var replay):
            // Frees the copy, so that what was sent is not copied with each packet.
            mode = .decoding
            let answer = replay.take(packet, skipping: wanted)
            mode = .repeatingLap(replay)
            if answer == .diverged {
                // A drain behind the first packet is the early first frame, and the lap is worth keeping.
                if packet != nil || replay.sent.count != 1 { laps.forget() }
                catchUp(replay)
            }
            if answer == .taken, packet != nil { packetCount += 1 }
            return answer == .taken
        case .repeatingRun(var replay):
            mode = .decoding
            let answer = replay.take(packet, skipping: wanted)
            mode = .repeatingRun(replay)
            if answer == .diverged {
                if canGoOn(behind: replay) { return try send(packet) }
                catchUp(replay)
            }
            if answer == .taken, packet != nil { packetCount += 1 }
            return answer == .taken
        case .catchingUp: return false
        case .fresh, .decoding, .recordingLap, .recordingRun: return try sendToBase(packet)
        }
    }

    private func sendToBase(_ packet: Packet?) throws(MediaError) -> Bool {
        let level = level(of: packet)
        tell(level)
        isUsed = true
        do throws(MediaError) {
            guard try base.send(packet) else { return false }
        } catch {
            failed()
            throw error
        }
        if packet != nil { packetCount += 1 }
        switch mode {
        case .recordingLap: if !laps.note(packet, level) { mode = .decoding }
        case .recordingRun: if runs?.note(packet, level) != true { mode = .decoding }
        case .fresh, .decoding, .repeatingLap, .repeatingRun, .catchingUp: break
        }
        return true
    }

    /// Near a seek's target, frames that the seek does not show are decoded for the steps that follow.
    private func level(of packet: Packet?) -> DecodeSkipping {
        guard case .recordingRun = mode, let packet, let runs, runs.wants(packet), wanted == .nonReference
        else {
            return wanted
        }
        return .none
    }

    private func tell(_ level: DecodeSkipping) {
        guard level != told else { return }
        told = level
        base.skip(level)
    }

    /// The first packet since the last flush decides where its frames come from.
    private func begin(_ packet: Packet?) -> Mode {
        guard let packet else {
            flushBase()
            return .decoding
        }
        if let lap = laps.replay(from: packet) {
            // A lap has all frames, so a seek finds what it looks for.
            flushBase()
            return .repeatingLap(lap)
        }
        if let run = runs?.replay(from: packet) {
            if parked != run.record.id { flushBase() }
            return .repeatingRun(run)
        }
        flushBase()
        if isPassStart, !isReverse, laps.begin(packet, wanted) { return .recordingLap }
        if runs?.record(packet) == true { return .recordingRun }
        return .decoding
    }

    // MARK: Frames

    func receive() throws(MediaError) -> DecoderOutput {
        let output = try next()
        if case .video(let frame) = output { runs?.came(frame.presentationTime) }
        return output
    }

    private func next() throws(MediaError) -> DecoderOutput {
        switch mode {
        case .repeatingLap(let replay):
            guard case .output? = replay.current else { return replay.isAtEnd ? ended() : .needsInput }
            guard let output = laps.output(replay.output) else {
                laps.forget()
                catchUp(replay)
                return .needsInput
            }
            pass(isGiven: true)
            return output
        case .repeatingRun(let replay): return try next(of: replay)
        case .catchingUp(var catchUp):
            mode = .decoding
            let output = try further(&catchUp)
            return output
        // The decoder itself may be parked at the end of a run.
        case .fresh: return .needsInput
        case .decoding, .recordingLap, .recordingRun: return try receiveFromBase()
        }
    }

    private func next(of replay: DecoderReplay) throws(MediaError) -> DecoderOutput {
        var replay = replay
        guard !replay.isOver else {
            // Frees the copy.
            mode = .decoding
            if replay.wantsMore() { mode = .repeatingRun(replay) } else { catchUp(replay) }
            return .needsInput
        }
        while case .output(let time)? = replay.current {
            if let frame = runs?.frame(at: time, of: replay.record) {
                pass(isGiven: true)
                return .video(frame)
            }
            guard replay.isUnneeded else {
                catchUp(replay)
                return .needsInput
            }
            pass(isGiven: false)
            replay.passOutput(isGiven: false)
        }
        guard replay.isAtEnd else { return .needsInput }
        if replay.record.hasEnded { return ended() }
        if canGoOn(behind: replay) { return try receiveFromBase() }
        if replay.record.isDrained { catchUp(replay) }
        return .needsInput
    }

    private func pass(isGiven: Bool) {
        let old = mode
        mode = .decoding
        switch old {
        case .repeatingLap(var replay):
            replay.passOutput(isGiven: isGiven)
            mode = .repeatingLap(replay)
        case .repeatingRun(var replay):
            replay.passOutput(isGiven: isGiven)
            mode = .repeatingRun(replay)
        case .fresh, .decoding, .recordingLap, .recordingRun, .catchingUp: mode = old
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
            failed()
            throw error
        }
    }

    private func note(_ output: DecoderOutput) {
        switch mode {
        case .recordingLap: if !laps.note(output) { mode = .decoding }
        case .recordingRun: if runs?.note(output) != true { mode = .decoding }
        case .fresh, .decoding, .repeatingLap, .repeatingRun, .catchingUp: break
        }
    }

    /// What was refused once may come out otherwise the next time.
    private func failed() {
        switch mode {
        case .recordingLap: laps.forget()
        case .recordingRun: runs?.forget()
        case .fresh, .decoding, .repeatingLap, .repeatingRun, .catchingUp: return
        }
        mode = .decoding
    }

    // MARK: Catching up

    /// The decoder was not flushed since the run was recorded, and all of it was repeated.
    private func canGoOn(behind replay: DecoderReplay) -> Bool {
        guard replay.isAtEnd, !replay.isOver, parked == replay.record.id,
            runs?.goOn(with: replay.record) == true
        else { return false }
        parked = nil
        mode = .recordingRun
        return true
    }

    private func catchUp(_ replay: DecoderReplay) {
        mode = .catchingUp(DecoderCatchUp(replay, isVideo: track.mediaType == .video))
    }

    /// One packet or one frame at a time, so that audio of the same lane and a new seek need not wait.
    private func further(_ catchUp: inout DecoderCatchUp) throws(MediaError) -> DecoderOutput {
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
            tell(next.skipping)
            isUsed = true
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
