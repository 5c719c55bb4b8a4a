import MediaCore
import PlayheadBackend

/// Finds frames in an open file, one packet per step.
///
/// Ascending times are cheap: the decoder continues from its position unless a sync point lies between, and a
/// time at which the last frame is still due costs nothing. A result never depends on earlier requests.
///
/// The reader holds at most four frames and a few packets, besides those of the decoder. Not thread-safe:
/// confined to a lane.
final class ImageReader {
    private let packets: ImagePackets
    private let decoder: any Decoder
    let description: MediaDescription
    let track: Track
    private var end: MediaTime { description.duration }
    private let declaredEnd: DeclaredEnd
    /// Whether the track is an attached picture, which is the image at every time.
    private var isAttachedPicture: Bool { track.isAttachedPicture }

    private typealias PacketIdentity = DecoderHistory.PacketIdentity

    /// The state of the decoder since its last flush.
    private var decoding = ImageDecoderState()

    // The state of the search.
    private var target = ImageTarget()
    /// The sync point that was returned last, and its frame.
    private var lastSyncPoint: (time: MediaTime, frame: VideoFrame)?
    /// The first frame, if a search from the start has found none at or before its target. It is the image at every
    /// earlier time.
    private var firstFrame: VideoFrame?
    /// The result, if it was known beforehand.
    private var cachedAnswer: VideoFrame?
    /// True if the sync point is decoded alone, and false if a decoder returned nothing that way.
    private var decodesSyncPointAlone = true
    private var skipUntil: PacketIdentity?
    private var retry = SeekRetry()
    /// The time whose sync point is being searched for.
    private var syncPointTarget: MediaTime?
    /// The sync point of the current request, if it is known.
    private var syncPoint: MediaTime?
    /// The sync point of the last request, if it was known.
    private var lastSyncPointOfSearch: MediaTime?
    /// Whether the next packet follows those that the decoder has received.
    private var followsDecoder = false
    /// Whether a search has begun to decode and has not ended. The decoder may then lack frames.
    private var isSearching = false

    /// The number of frames that a decoder must have produced before frames may be skipped. From these, it
    /// learns how far presentation order differs from decoding order.
    private static let minimumFramesBeforeSkipping = 4

    init(demuxer: any Demuxer, decoder: any Decoder, description: MediaDescription, track: Track) {
        packets = ImagePackets(demuxer)
        self.decoder = decoder
        self.description = description
        self.track = track
        declaredEnd = DeclaredEnd(description, played: [track.id])
    }

    var demuxer: any Demuxer { packets.demuxer }

    /// Opens the asset and creates a decoder for its first video track, or for its first attached picture (cover art) if
    /// there is no video.
    ///
    /// - Parameters:
    ///   - demuxer: The demuxer to open.
    ///   - options: The options of the decoder.
    ///   - didOpen: Called with the description after opening.
    /// - Throws: `MediaError` if the asset cannot be opened or has no playable video track.
    static func open(
        _ demuxer: any Demuxer,
        options: DecoderOptions,
        didOpen: (MediaDescription) -> Void
    ) throws(MediaError) -> Poll<ImageReader> {
        guard case .ready(let description) = try demuxer.open() else { return .pending }
        didOpen(description)
        guard let track = description.imageTrack else {
            let unplayable = description.tracks.first { $0.mediaType == .video && !$0.isAttachedPicture }
            let reason = unplayable?.unplayableReason.map { ": \($0)" } ?? ""
            throw MediaError(.noPlayableTracks, "no playable video track\(reason)", track: unplayable?.id)
        }
        demuxer.setEnabledTracks([track.id])
        return try demuxer.makeDecoder(for: track.id, options: options).map {
            ImageReader(demuxer: demuxer, decoder: $0, description: description, track: track)
        }
    }

    // MARK: Where to begin

    /// Begins the search for a request. `step()` continues it.
    ///
    /// - Parameter request: The request.
    /// - Returns: `.pending` if the call must be repeated.
    /// - Throws: `MediaError` if the time is invalid or nothing can be read.
    func begin(_ request: ImageRequest) throws(MediaError) -> Poll<Void> {
        var time = max(.zero, request.time)
        // The declared end may be unknown, or precede the last frame.
        if time == .positiveInfinity { time = MediaTime(nanoseconds: .max) }
        guard time.isNumeric else {
            throw MediaError(.invalidArgument, "invalid image time: \(request.time)")
        }
        target = ImageTarget(
            time: time,
            from: time - request.toleranceBefore,
            through: time + request.toleranceAfter
        )
        retry = SeekRetry(target: seekTime)
        syncPointTarget = nil
        skipUntil = nil
        cachedAnswer = nil
        if isAttachedPicture {
            // The container delivers the picture's only packet first, whatever the position.
            target = ImageTarget(isSyncPoint: true)
            cachedAnswer = lastSyncPoint?.frame
            packets.begin(.zero)
            return .ready(())
        }
        let isExact = target.isExact
        packets.begin(min(max(.zero, target.from), time))
        syncPoint = request.syncPoint
        if isSearching {
            // The search was cancelled, and may have skipped the frame that is due now.
            isSearching = false
            flush()
        }
        if isExact, let firstFrame, time < firstFrame.presentationTime {
            cachedAnswer = firstFrame
            return .ready(())
        }
        if isExact, decoding.holdsFrame(dueAt: time) { return .ready(()) }
        if isExact, continuesWithoutSeek {
            packets.resume()
            return .ready(())
        }
        followsDecoder = false
        packets.seek(to: seekTime, .atOrBefore)
        guard case .ready = try packets.peek() else { return .pending }
        if !isExact {
            guard case .ready(let isFound) = try findSyncPoint() else { return .pending }
            target.isSyncPoint = isFound
        }
        if target.isSyncPoint, let lastSyncPoint, lastSyncPoint.time == target.time {
            // The decoder is not moved. The next request seeks again.
            cachedAnswer = lastSyncPoint.frame
            return .ready(())
        }
        // If packets have no presentation times, the decoder derives them from the packets that follow.
        decodesSyncPointAlone = packets.first?.presentationTime != nil
        if decoding.canContinue(from: packets.first?.decodeTime, to: target) {
            skipUntil = decoding.lastSent
        } else {
            flush()
            followsDecoder = true
        }
        return .ready(())
    }

    /// Finds the sync point at or before a time. The decoder keeps its state: the next request seeks again.
    ///
    /// - Returns: The time of the sync point, nil if no packet was found, or `.pending` if the call must be repeated.
    func findSyncPoint(before time: MediaTime) throws(MediaError) -> Poll<MediaTime?> {
        if syncPointTarget != time {
            syncPointTarget = time
            followsDecoder = false
            // Limited as in the seek of a request, because the frame is decoded from the same sync point.
            let limited = end.isNumeric ? min(max(.zero, time), end) : max(.zero, time)
            let target = limited.isNumeric ? limited : .zero
            packets.begin(target)
            packets.seek(to: target, .atOrBefore)
        }
        guard case .ready(let packet) = try packets.peek() else { return .pending }
        syncPointTarget = nil
        return .ready(packet.flatMap(Self.time))
    }

    /// The position at which the search for the target begins.
    ///
    /// The declared duration limits only seeks, because a seek far past the end of the data may fail. If it is too
    /// short, the frames after it are found by reading on. The time of a sync point that was found is not limited.
    private var seekTime: MediaTime {
        end.isNumeric && !target.isSyncPoint ? min(target.time, end) : target.time
    }

    /// Moves to the nearest accepted sync point, whose packet is then the next one. Returns false if there is
    /// none.
    private func findSyncPoint() throws(MediaError) -> Poll<Bool> {
        let time = target.time
        let before = packets.first.flatMap(Self.time)
        var best = before.flatMap { $0 <= time && $0 >= target.from ? $0 : nil }
        if target.through > time, before != time {
            packets.seek(to: seekTime, .atOrAfter)
            guard case .ready(let next) = try packets.peek() else { return .pending }
            let after = next.flatMap(Self.time)
            if let after, after > time, after <= target.through,
                best.map({ after - time < time - $0 }) ?? true
            {
                best = after
            } else {
                packets.seek(to: seekTime, .atOrBefore)
                guard case .ready = try packets.peek() else { return .pending }
            }
        }
        if let best { target.time = best }
        return .ready(best != nil)
    }

    /// Whether the due frame is decoded next, because no sync point lies between.
    private var continuesWithoutSeek: Bool {
        guard let syncPoint, syncPoint == lastSyncPointOfSearch, followsDecoder, !decoding.isDraining,
            let newest = decoding.newest
        else { return false }
        return newest.presentationTime <= target.time
    }

    private static func time(_ packet: Packet) -> MediaTime? { packet.presentationTime ?? packet.decodeTime }

    /// Discards the decoder's state. The next request starts at a sync point.
    func flush() {
        decoder.flush()
        decoding = ImageDecoderState()
        skipUntil = nil
        syncPointTarget = nil
        followsDecoder = false
    }

    // MARK: Decoding

    /// Processes one packet. Returns the frame when it has been found, and nil before.
    func step() throws(MediaError) -> Poll<VideoFrame?> {
        isSearching = true
        let result = try search()
        if case .ready(.some) = result {
            isSearching = false
            lastSyncPointOfSearch = target.isExact ? syncPoint : nil
        }
        return result
    }

    private func search() throws(MediaError) -> Poll<VideoFrame?> {
        if let frame = cachedAnswer {
            cachedAnswer = nil
            return .ready(frame)
        }
        if let truncation { throw truncation }
        if !target.isSyncPoint, decoding.holdsFrame(dueAt: target.time) {
            return .ready(decoding.dueFrame(for: target))
        }
        if target.isExact, let newest = decoding.newest, packets.isDue(newest.presentationTime) {
            return .ready(newest)
        }
        if let frame = decoding.ahead {
            decoding.ahead = nil
            return .ready(accept(frame))
        }
        do throws(MediaError) {
            switch try decoder.receive() {
            case .video(let frame):
                packets.noteFrame()
                return .ready(accept(frame))
            case .audio: return .ready(nil)
            case .needsInput: guard try feed() else { return .pending }
            case .ended: return .ready(try finish())
            }
        } catch {
            guard error.code == .decodeFailed else { throw error }
            try packets.note(error)
        }
        return .ready(nil)
    }

    /// The error if the data ends before all accepted frames, and the container declares a later end. The last frame
    /// would be shown for a time at which another one is due in the complete file.
    private var truncation: MediaError? {
        guard !target.isSyncPoint, let end = packets.dataEnd, target.from >= end else { return nil }
        return declaredEnd.truncation(at: end)
    }

    private func accept(_ frame: VideoFrame) -> VideoFrame? {
        let time = frame.presentationTime
        decoding.frameCount += 1
        if isAttachedPicture {
            lastSyncPoint = (.zero, frame)
            return frame
        }
        if target.isSyncPoint {
            // Leading frames of a sync point lack their references.
            guard frame.isKeyFrame || time >= target.time else { return nil }
            if decodesSyncPointAlone, time != target.time {
                decodeWithFollowing()
                return nil
            }
            decoding.newest = frame
            lastSyncPoint = (target.time, frame)
            return frame
        }
        if time > target.time {
            if decoding.newest == nil {
                if seekEarlier() { return nil }
                // An earlier frame may be readable the next time.
                if packets.lastFault == nil { firstFrame = frame }
            }
            decoding.ahead = frame
            return decoding.dueFrame(for: target)
        }
        decoding.newest = frame
        return time >= target.from ? frame : nil
    }

    /// Sends a packet to the decoder. Returns false if bytes are missing.
    private func feed() throws(MediaError) -> Bool {
        let isAlone = target.isSyncPoint && decodesSyncPointAlone && decoding.lastSent != nil
        let looksAhead = !(target.isSyncPoint && decodesSyncPointAlone)
        guard case .ready(let packet) = isAlone ? .ready(nil) : try packets.next(looksAhead: looksAhead)
        else {
            return false
        }
        if let packet, let last = skipUntil {
            let identity = PacketIdentity(packet)
            if identity == last {
                skipUntil = nil
                followsDecoder = true
            } else if !isBefore(identity, last) {
                restart()
            }
            return true
        }
        if let packet { skipIfUnneeded(packet) }
        do throws(MediaError) {
            guard try decoder.send(packet) else {
                if let packet { packets.unread(packet) }
                return true
            }
        } catch {
            decoding.noteSent(packet)
            throw error
        }
        decoding.noteSent(packet)
        if packet == nil { decoding.isDraining = true }
        return true
    }

    /// Skips a frame that ends before the target, unless other frames refer to it. A field is not skipped, because the
    /// times do not show which packet has the other one.
    private func skipIfUnneeded(_ packet: Packet) {
        let endsBeforeTarget = packet.presentationTime.map { packets.times.endsBeforeTarget($0) } ?? false
        let maySkip =
            endsBeforeTarget && !target.isSyncPoint && !packet.isKeyFrame && !packet.isField
            && decoding.frameCount >= Self.minimumFramesBeforeSkipping
        decoder.skip(maySkip ? .nonReference : .none)
    }

    private func isBefore(_ identity: PacketIdentity, _ last: PacketIdentity) -> Bool {
        guard let time = identity.decode, let end = last.decode else { return false }
        return time <= end
    }

    /// Decodes the sync point together with the packets after it, because it cannot be decoded alone.
    private func decodeWithFollowing() {
        decodesSyncPointAlone = false
        restart()
    }

    /// Restarts at the sync point, because the packets differ from those of the first time.
    private func restart() {
        flush()
        packets.seek(to: seekTime, .atOrBefore)
        followsDecoder = true
    }

    /// Finishes the search at the end of the data, where the last frame is due.
    private func finish() throws(MediaError) -> VideoFrame? {
        if target.isSyncPoint, decodesSyncPointAlone, decoding.newest == nil {
            // It may be a field whose other field is in the next packet.
            decodeWithFollowing()
            return nil
        }
        decoding.hasEnded = true
        if decoding.newest != nil { return decoding.dueFrame(for: target) }
        if seekEarlier() { return nil }
        let message = "no frame at \(target.time.seconds) seconds"
        throw packets.lastFault ?? MediaError(.decodeFailed, message, time: target.time)
    }

    /// Retries from an earlier position, because the container's index led past the target. Returns false if
    /// there is none.
    private func seekEarlier() -> Bool {
        guard let earlier = retry.next() else { return false }
        flush()
        packets.seek(to: earlier, .atOrBefore)
        followsDecoder = true
        target.isSyncPoint = false
        return true
    }
}
