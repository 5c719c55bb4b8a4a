import MediaCore
import PlayheadBackend

/// Finds one frame after the other in an open file, a packet at a step.
///
/// Times that ascend are cheap: the decoder goes on where it is unless a sync point lies between, and a time
/// that the last frame is still due at costs nothing. What is found never hangs on what was asked before.
/// Holds three frames and a few packets at most, beside the decoder's own. Not safe for threads: confined to a lane.
final class ImageReader {
    private let packets: ImagePackets
    private let decoder: any Decoder
    private let end: MediaTime

    private typealias Mark = DecoderHistory.Mark

    /// What would be taken.
    private struct Goal {
        /// The frame due then, unless another one serves.
        var time: MediaTime = .zero
        /// The first frame from here on up to `time` serves.
        var from: MediaTime = .zero
        /// And so does the first one behind it, up to here.
        var upTo: MediaTime = .zero
        /// The sync point at `time` itself serves, and nothing else is decoded.
        var isSyncPoint = false
        /// Nothing else serves than the frame due at `time`.
        var isExact: Bool { from == time && upTo == time }
    }

    // What the decoder has done.
    /// The newest frame that was decoded, and one more that was found to come too late.
    private var newest: VideoFrame?
    private var ahead: VideoFrame?
    private var sent: Mark?
    /// When the first packet since the decoder was flushed is decoded.
    private var began: MediaTime?
    private var isDraining = false
    private var hasEnded = false
    /// Frames that came since the decoder was flushed.
    private var frameCount = 0

    // The search.
    private var goal = Goal()
    /// The sync point that was answered last, and its frame.
    private var lastSyncPoint: (time: MediaTime, frame: VideoFrame)?
    /// The answer, where it was known beforehand.
    private var known: VideoFrame?
    /// The sync point is decoded alone; false where a decoder gave nothing that way.
    private var drainsBehindSyncPoint = true
    private var skipsBehind: Mark?
    private var late = SeekRetry()

    /// Decoders learn from frames in how far their order differs from that of the packets, and must have seen some
    /// before others are left out.
    private static let framesToLearn = 4

    init(demuxer: any Demuxer, decoder: any Decoder, duration: MediaTime) {
        packets = ImagePackets(demuxer)
        self.decoder = decoder
        end = duration
    }

    var demuxer: any Demuxer { packets.demuxer }

    /// Opens the asset and makes a decoder for its first track of frames.
    static func open(
        _ demuxer: any Demuxer,
        options: DecoderOptions,
        didOpen: (MediaDescription) -> Void
    ) throws(MediaError) -> ImageReader {
        let description = try demuxer.open()
        didOpen(description)
        let variant = VariantPreference().best(of: description.variants)
        let tracks = description.tracks(of: variant)
        guard let track = TrackChoice.automatic.pick(.video, from: tracks) else {
            let lost = description.tracks.first { $0.mediaType == .video && !$0.isAttachedPicture }
            let why = lost?.unplayableReason.map { ": \($0)" } ?? ""
            throw MediaError(.noPlayableTracks, "there is no picture in it\(why)", track: lost?.id)
        }
        demuxer.setEnabledTracks([track.id])
        let decoder = try demuxer.makeDecoder(for: track.id, options: options)
        return ImageReader(demuxer: demuxer, decoder: decoder, duration: description.duration)
    }

    // MARK: Where to begin

    /// Begins to look. `step` goes on with it.
    func begin(_ request: ImageRequest) throws(MediaError) {
        var time = max(.zero, request.time)
        if end.isNumeric, !time.isIndefinite, time.isValid { time = min(time, end) }
        guard time.isNumeric else {
            throw MediaError(.invalidArgument, "\(request.time) is no time that a picture can be at")
        }
        goal = Goal(time: time, from: time - request.toleranceBefore, upTo: time + request.toleranceAfter)
        late = SeekRetry(target: time)
        skipsBehind = nil
        known = nil
        let isExact = goal.isExact
        packets.begin(min(max(.zero, goal.from), time))
        if isExact, isAtHand { return }
        try packets.land(time, .atOrBefore)
        if !isExact, try findSyncPoint() { goal.isSyncPoint = true }
        if goal.isSyncPoint, let lastSyncPoint, lastSyncPoint.time == goal.time {
            // The decoder stands where it stood, and the next request seeks anew.
            known = lastSyncPoint.frame
            return
        }
        // Where packets do not say when they are presented, the decoder learns it from those that follow.
        drainsBehindSyncPoint = packets.first?.presentationTime != nil
        if canGoOn { skipsBehind = sent } else { flush() }
    }

    /// The frame due is one of the two that are held.
    private var isAtHand: Bool {
        guard let newest, newest.presentationTime <= goal.time else { return false }
        return hasEnded || ahead.map { $0.presentationTime > goal.time } ?? false
    }

    /// The nearest sync point that serves, if any does; its packet is then the next.
    private func findSyncPoint() throws(MediaError) -> Bool {
        let time = goal.time
        let before = packets.first.flatMap(Self.time)
        var best = before.flatMap { $0 <= time && $0 >= goal.from ? $0 : nil }
        if goal.upTo > time, before != time {
            try packets.land(time, .atOrAfter)
            let after = packets.first.flatMap(Self.time)
            if let after, after > time, after <= goal.upTo, best.map({ after - time < time - $0 }) ?? true {
                best = after
            } else {
                try packets.land(time, .atOrBefore)
            }
        }
        if let best { goal.time = best }
        return best != nil
    }

    /// The decoder has had the sync point before the goal already, and has not come too far.
    private var canGoOn: Bool {
        guard !goal.isSyncPoint, !isDraining, let newest, newest.presentationTime <= goal.from,
            let began, let had = sent?.decode, let key = packets.first?.decodeTime
        else { return false }
        // One that began behind it may lack what lies between: not every sync point leads to all that follows it.
        return began <= key && key <= had
    }

    private static func time(_ packet: Packet) -> MediaTime? { packet.presentationTime ?? packet.decodeTime }

    /// Forgets what was decoded: the next request begins at a sync point.
    func flush() {
        decoder.flush()
        newest = nil
        ahead = nil
        sent = nil
        began = nil
        isDraining = false
        hasEnded = false
        frameCount = 0
        skipsBehind = nil
    }

    // MARK: Decoding

    /// One packet on; the frame when it is found.
    func step() throws(MediaError) -> VideoFrame? {
        if let frame = known {
            known = nil
            return frame
        }
        if isAtHand, !goal.isSyncPoint { return due() }
        if goal.isExact, let newest, packets.isDue(newest.presentationTime) { return newest }
        if let frame = ahead {
            ahead = nil
            return try take(frame)
        }
        do throws(MediaError) {
            switch try decoder.receive() {
            case .video(let frame): return try take(frame)
            case .audio: return nil
            case .needsInput: try feed()
            case .ended: return try finish()
            }
        } catch {
            guard error.code == .decodeFailed else { throw error }
            try packets.note(error)
        }
        return nil
    }

    private func take(_ frame: VideoFrame) throws(MediaError) -> VideoFrame? {
        let time = frame.presentationTime
        frameCount += 1
        if goal.isSyncPoint {
            // What leads up to a sync point lacks what it refers to.
            guard frame.isKeyFrame || time >= goal.time else { return nil }
            if drainsBehindSyncPoint, time != goal.time {
                try decodeOn()
                return nil
            }
            newest = frame
            lastSyncPoint = (goal.time, frame)
            return frame
        }
        if time > goal.time {
            if newest == nil, try lookEarlier() { return nil }
            ahead = frame
            return due()
        }
        newest = frame
        return time >= goal.from ? frame : nil
    }

    /// Of the two that are held, the one that serves.
    private func due() -> VideoFrame? {
        guard let newest else {
            newest = ahead
            ahead = nil
            return newest
        }
        if newest.presentationTime < goal.from, let next = ahead, next.presentationTime <= goal.upTo {
            self.newest = next
            ahead = nil
            return next
        }
        return newest
    }

    private func feed() throws(MediaError) {
        let isAlone = goal.isSyncPoint && drainsBehindSyncPoint && sent != nil
        let looksAhead = !(goal.isSyncPoint && drainsBehindSyncPoint)
        let packet = isAlone ? nil : try packets.next(looksAhead: looksAhead)
        if let packet, let last = skipsBehind {
            let mark = Mark(packet)
            if mark == last { skipsBehind = nil } else if !isBefore(mark, last) { try restart() }
            return
        }
        if let packet { leaveOutPassed(packet) }
        do throws(MediaError) {
            guard try decoder.send(packet) else {
                if let packet { packets.putBack(packet) }
                return
            }
        } catch {
            noteSent(packet)
            throw error
        }
        noteSent(packet)
        if packet == nil { isDraining = true }
    }

    private func noteSent(_ packet: Packet?) {
        sent = packet.map(Mark.init)
        began = began ?? packet?.decodeTime
    }

    /// A frame that is over before the goal is decoded only where others refer to it.
    private func leaveOutPassed(_ packet: Packet) {
        let isPassed = packet.presentationTime.map { packets.times.isPassed($0) } ?? false
        let mayLeaveOut =
            isPassed && !goal.isSyncPoint && !packet.isKeyFrame && frameCount >= Self.framesToLearn
        decoder.skip(mayLeaveOut ? .nonReference : .none)
    }

    private func isBefore(_ mark: Mark, _ last: Mark) -> Bool {
        guard let time = mark.decode, let end = last.decode else { return false }
        return time <= end
    }

    /// The sync point alone does not do: with what follows it.
    private func decodeOn() throws(MediaError) {
        drainsBehindSyncPoint = false
        try restart()
    }

    /// The packets are not those of the first time: from the sync point again.
    private func restart() throws(MediaError) {
        flush()
        try packets.land(goal.time, .atOrBefore)
    }

    /// The data ended: the last frame stays due.
    private func finish() throws(MediaError) -> VideoFrame? {
        if goal.isSyncPoint, drainsBehindSyncPoint, newest == nil {
            // It may be a field whose other half comes in the next packet.
            try decodeOn()
            return nil
        }
        hasEnded = true
        if newest != nil { return due() }
        if try lookEarlier() { return nil }
        let nothing = MediaError(.decodeFailed, "there is no picture at \(goal.time)", time: goal.time)
        throw packets.lastFault ?? nothing
    }

    /// The container's index put us behind the goal.
    private func lookEarlier() throws(MediaError) -> Bool {
        guard let earlier = late.next() else { return false }
        flush()
        try packets.land(earlier, .atOrBefore)
        goal.isSyncPoint = false
        return true
    }
}
