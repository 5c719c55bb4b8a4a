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

    private typealias PacketIdentity = DecoderHistory.PacketIdentity

    /// What would be taken.
    private struct Target {
        /// The frame due then, unless another one serves.
        var time: MediaTime = .zero
        /// The first frame from here on up to `time` serves.
        var from: MediaTime = .zero
        /// And so does the first one behind it, up to here.
        var through: MediaTime = .zero
        /// The sync point at `time` itself serves, and nothing else is decoded.
        var isSyncPoint = false
        /// Nothing else serves than the frame due at `time`.
        var isExact: Bool { from == time && through == time }
    }

    // What the decoder has done.
    /// The newest frame that was decoded, and one more that was found to come too late.
    private var newest: VideoFrame?
    private var ahead: VideoFrame?
    private var lastSent: PacketIdentity?
    /// When the first packet since the decoder was flushed is decoded.
    private var firstDecodeTime: MediaTime?
    private var isDraining = false
    private var hasEnded = false
    /// Frames that came since the decoder was flushed.
    private var frameCount = 0

    // The search.
    private var target = Target()
    /// The sync point that was answered last, and its frame.
    private var lastSyncPoint: (time: MediaTime, frame: VideoFrame)?
    /// The answer, where it was known beforehand.
    private var cachedAnswer: VideoFrame?
    /// The sync point is decoded alone; false where a decoder gave nothing that way.
    private var decodesSyncPointAlone = true
    private var skipUntil: PacketIdentity?
    private var retry = SeekRetry()

    /// Decoders learn from frames in how far their order differs from that of the packets, and must have seen some
    /// before others are left out.
    private static let minimumFramesBeforeSkipping = 4

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
            let unplayable = description.tracks.first { $0.mediaType == .video && !$0.isAttachedPicture }
            let reason = unplayable?.unplayableReason.map { ": \($0)" } ?? ""
            throw MediaError(.noPlayableTracks, "there is no picture in it\(reason)", track: unplayable?.id)
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
        target = Target(
            time: time,
            from: time - request.toleranceBefore,
            through: time + request.toleranceAfter
        )
        retry = SeekRetry(target: time)
        skipUntil = nil
        cachedAnswer = nil
        let isExact = target.isExact
        packets.begin(min(max(.zero, target.from), time))
        if isExact, isDecoded { return }
        try packets.seek(to: time, .atOrBefore)
        if !isExact, try findSyncPoint() { target.isSyncPoint = true }
        if target.isSyncPoint, let lastSyncPoint, lastSyncPoint.time == target.time {
            // The decoder stands where it stood, and the next request seeks anew.
            cachedAnswer = lastSyncPoint.frame
            return
        }
        // Where packets do not say when they are presented, the decoder learns it from those that follow.
        decodesSyncPointAlone = packets.first?.presentationTime != nil
        if canContinue { skipUntil = lastSent } else { flush() }
    }

    /// The frame due is one of the two that are held.
    private var isDecoded: Bool {
        guard let newest, newest.presentationTime <= target.time else { return false }
        return hasEnded || ahead.map { $0.presentationTime > target.time } ?? false
    }

    /// The nearest sync point that serves, if any does; its packet is then the next.
    private func findSyncPoint() throws(MediaError) -> Bool {
        let time = target.time
        let before = packets.first.flatMap(Self.time)
        var best = before.flatMap { $0 <= time && $0 >= target.from ? $0 : nil }
        if target.through > time, before != time {
            try packets.seek(to: time, .atOrAfter)
            let after = packets.first.flatMap(Self.time)
            if let after, after > time, after <= target.through,
                best.map({ after - time < time - $0 }) ?? true
            {
                best = after
            } else {
                try packets.seek(to: time, .atOrBefore)
            }
        }
        if let best { target.time = best }
        return best != nil
    }

    /// The decoder has had the sync point before the goal already, and has not come too far.
    private var canContinue: Bool {
        guard !target.isSyncPoint, !isDraining, let newest, newest.presentationTime <= target.from,
            let firstDecodeTime, let lastTime = lastSent?.decode, let key = packets.first?.decodeTime
        else { return false }
        // One that began behind it may lack what lies between: not every sync point leads to all that follows it.
        return firstDecodeTime <= key && key <= lastTime
    }

    private static func time(_ packet: Packet) -> MediaTime? { packet.presentationTime ?? packet.decodeTime }

    /// Forgets what was decoded: the next request begins at a sync point.
    func flush() {
        decoder.flush()
        newest = nil
        ahead = nil
        lastSent = nil
        firstDecodeTime = nil
        isDraining = false
        hasEnded = false
        frameCount = 0
        skipUntil = nil
    }

    // MARK: Decoding

    /// One packet on; the frame when it is found.
    func step() throws(MediaError) -> VideoFrame? {
        if let frame = cachedAnswer {
            cachedAnswer = nil
            return frame
        }
        if isDecoded, !target.isSyncPoint { return dueFrame() }
        if target.isExact, let newest, packets.isDue(newest.presentationTime) { return newest }
        if let frame = ahead {
            ahead = nil
            return try accept(frame)
        }
        do throws(MediaError) {
            switch try decoder.receive() {
            case .video(let frame): return try accept(frame)
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

    private func accept(_ frame: VideoFrame) throws(MediaError) -> VideoFrame? {
        let time = frame.presentationTime
        frameCount += 1
        if target.isSyncPoint {
            // What leads up to a sync point lacks what it refers to.
            guard frame.isKeyFrame || time >= target.time else { return nil }
            if decodesSyncPointAlone, time != target.time {
                try decodeWithFollowing()
                return nil
            }
            newest = frame
            lastSyncPoint = (target.time, frame)
            return frame
        }
        if time > target.time {
            if newest == nil, try seekEarlier() { return nil }
            ahead = frame
            return dueFrame()
        }
        newest = frame
        return time >= target.from ? frame : nil
    }

    /// Of the two that are held, the one that serves.
    private func dueFrame() -> VideoFrame? {
        guard let newest else {
            newest = ahead
            ahead = nil
            return newest
        }
        if newest.presentationTime < target.from, let next = ahead, next.presentationTime <= target.through {
            self.newest = next
            ahead = nil
            return next
        }
        return newest
    }

    private func feed() throws(MediaError) {
        let isAlone = target.isSyncPoint && decodesSyncPointAlone && lastSent != nil
        let looksAhead = !(target.isSyncPoint && decodesSyncPointAlone)
        let packet = isAlone ? nil : try packets.next(looksAhead: looksAhead)
        if let packet, let last = skipUntil {
            let identity = PacketIdentity(packet)
            if identity == last { skipUntil = nil } else if !isBefore(identity, last) { try restart() }
            return
        }
        if let packet { skipIfUnneeded(packet) }
        do throws(MediaError) {
            guard try decoder.send(packet) else {
                if let packet { packets.unread(packet) }
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
        lastSent = packet.map(PacketIdentity.init)
        firstDecodeTime = firstDecodeTime ?? packet?.decodeTime
    }

    /// A frame that is over before the goal is decoded only where others refer to it.
    private func skipIfUnneeded(_ packet: Packet) {
        let endsBeforeTarget = packet.presentationTime.map { packets.times.endsBeforeTarget($0) } ?? false
        let maySkip =
            endsBeforeTarget && !target.isSyncPoint && !packet.isKeyFrame
            && frameCount >= Self.minimumFramesBeforeSkipping
        decoder.skip(maySkip ? .nonReference : .none)
    }

    private func isBefore(_ identity: PacketIdentity, _ last: PacketIdentity) -> Bool {
        guard let time = identity.decode, let end = last.decode else { return false }
        return time <= end
    }

    /// The sync point alone does not do: with what follows it.
    private func decodeWithFollowing() throws(MediaError) {
        decodesSyncPointAlone = false
        try restart()
    }

    /// The packets are not those of the first time: from the sync point again.
    private func restart() throws(MediaError) {
        flush()
        try packets.seek(to: target.time, .atOrBefore)
    }

    /// The data ended: the last frame stays due.
    private func finish() throws(MediaError) -> VideoFrame? {
        if target.isSyncPoint, decodesSyncPointAlone, newest == nil {
            // It may be a field whose other half comes in the next packet.
            try decodeWithFollowing()
            return nil
        }
        hasEnded = true
        if newest != nil { return dueFrame() }
        if try seekEarlier() { return nil }
        let noFrame = MediaError(.decodeFailed, "there is no picture at \(target.time)", time: target.time)
        throw packets.lastFault ?? noFrame
    }

    /// The container's index put us behind the goal.
    private func seekEarlier() throws(MediaError) -> Bool {
        guard let earlier = retry.next() else { return false }
        flush()
        try packets.seek(to: earlier, .atOrBefore)
        target.isSyncPoint = false
        return true
    }
}
