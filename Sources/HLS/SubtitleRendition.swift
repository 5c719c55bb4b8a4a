internal import MediaCore
internal import PlayheadBackend

/// An open subtitle playlist with WebVTT segments. Each segment is read as a whole and is independent of the others.
///
/// Confined to the lane of its demuxer.
final class SubtitleRendition {
    /// The track ID (`Track.id`).
    let track: Int
    var isEnabled = false
    private let demuxers: DemuxerSet
    private let zero: MediaTime
    private let shifts: SubtitleShifts
    private var tracker: MediaPlaylistTracker
    private var index: Int
    /// The reader of the current segment.
    private var reader: SegmentReader?
    private var bytes: [UInt8] = []
    /// Packets that have been read and not dequeued, the next one last, so that dequeuing moves no others.
    private var pending: [Packet] = []
    private var isAtEnd = false
    /// The least time by which the segments are later in the playlist, whose durations are rounded, than their cues.
    private var lag = MediaTime.zero
    /// The number of consecutive segments that could not be read.
    private var lostSegments = 0
    private static let lostLimit = 3
    /// The number of target durations by which the estimated item time of a segment may be wrong.
    private static let estimateMargin = 3

    init(_ playlist: MediaPlaylist, url: String, track: Int, zero: MediaTime, demuxers: DemuxerSet) {
        self.track = track
        self.zero = zero
        self.demuxers = demuxers
        shifts = SubtitleShifts(demuxers)
        tracker = MediaPlaylistTracker(
            playlist,
            url: url,
            resources: demuxers.resources,
            isOfSubtitles: true
        )
        index = tracker.firstIndex(offset: nil, start: nil)
    }

    /// Creates a decoder for the cues of the track.
    func makeDecoder() throws(MediaError) -> any TextDecoder {
        // Any text is suitable: libav's decoder keeps no state of it.
        let sample = "WEBVTT\n\n00:00.000 --> 00:00.001\n.\n"
        let demuxer = demuxers.make(InMemoryByteSource(Array(sample.utf8)), container: "webvtt")
        defer { demuxers.drop(demuxer) }
        let description = try demuxer.open().get()
        guard let found = description.tracks.first else {
            throw MediaError(.decoderNotFound, "no decoder for WebVTT", track: track)
        }
        return NumberedTextDecoder(try demuxer.makeTextDecoder(for: found.id).get(), track: track)
    }

    /// Returns the next packet without removing it, or nil at the end.
    func peek(_ context: ReadContext) throws(MediaError) -> Poll<Packet?> {
        while pending.isEmpty, !isAtEnd { guard try readSegment(context) else { return .pending } }
        return .ready(pending.last)
    }

    /// Removes the packet that `peek(_:)` has returned.
    func dequeue() { if !pending.isEmpty { pending.removeLast() } }

    /// Continues with the segment that contains an item time.
    func begin(at time: MediaTime) {
        discardReader()
        pending = []
        isAtEnd = false
        lostSegments = 0
        lag = .zero
        index = tracker.removedCount
        let goal: Int64
        if let first = tracker.estimatedItemTime(of: index) {
            let target = MediaTime(value: tracker.playlist.targetDuration, timescale: 1_000_000)
            let passed = time - first - target * Self.estimateMargin
            goal = passed.microseconds.addingClamped(tracker.start(of: index))
        } else {
            // The item time of the first segment is not known if segments are removed.
            guard tracker.playlist.hasEnded || tracker.playlist.kind == .event else { return }
            goal = time.microseconds
        }
        while tracker.segment(index + 1) != nil, tracker.start(of: index + 1) <= goal { index += 1 }
    }

    /// Reads the packets of the next segment. Returns false if bytes are not available yet.
    private func readSegment(_ context: ReadContext) throws(MediaError) -> Bool {
        guard case .ready(let found) = try tracker.segment(&index, context) else { return false }
        guard let segment = found else {
            isAtEnd = true
            return true
        }
        do throws(MediaError) {
            if !segment.isGap {
                guard try readSubtitles(segment, context),
                    let packets = try packets(SubtitleSegment(bytes), segment.duration, context)
                else { return false }
                pending = packets.reversed()
                noteLag(packets)
            }
            lostSegments = 0
        } catch {
            guard error.code != .cancelled else { throw error }
            throw skipped(error, segment)
        }
        advance()
        return true
    }

    /// Skips a segment that cannot be read. Returns the error to report.
    private func skipped(_ error: MediaError, _ segment: PlaylistSegment) -> MediaError {
        var error = error
        error.message = "subtitle segment \(segment.sequence): \(error.message)"
        error.location = error.location ?? tracker.name
        lostSegments += 1
        error.isRetryable = error.isSkippable && lostSegments < Self.lostLimit
        demuxers.resources.forget(segment.resource.url)
        advance()
        return error
    }

    /// Moves to the next segment. Adds a packet that reports the progress, also after a segment without cues.
    private func advance() {
        discardReader()
        index += 1
        guard tracker.playlist.hasEnded else { return }
        let end = startTime(of: index) - lag
        let marker = Packet(
            track: track,
            presentationTime: end,
            decodeTime: end,
            duration: nil,
            byteCount: 0,
            isKeyFrame: true,
            payload: ProgressMarkerPayload()
        )
        pending.insert(marker, at: 0)
    }

    /// Compares the time of the current segment in the playlist with its last cue, which ends after the segment begins.
    private func noteLag(_ packets: [Packet]) {
        guard let last = packets.last, let start = last.presentationTime else { return }
        lag = max(lag, startTime(of: index) - (start + (last.duration ?? .zero)))
    }

    /// Returns the start time of a segment, relative to the first segment at the time of opening.
    private func startTime(of index: Int) -> MediaTime {
        MediaTime(value: tracker.start(of: index), timescale: 1_000_000)
    }

    private func discardReader() {
        reader = nil
        bytes = []
    }

    /// Reads all bytes of a segment. Returns false if some are not available yet.
    private func readSubtitles(_ segment: PlaylistSegment, _ context: ReadContext) throws(MediaError) -> Bool
    {
        guard segment.key == nil else {
            throw MediaError(.encrypted, "encrypted subtitles are not supported")
        }
        guard segment.map == nil else {
            throw MediaError(.decoderNotFound, "subtitles in MP4 are not supported")
        }
        if reader == nil {
            let source = try demuxers.resources.source(
                segment.resource.url,
                cachePolicy: tracker.cachePolicy,
                validatedAfter: tracker.arrivalTime(of: segment)
            )
            reader = SegmentReader(segment.resource, source, isMap: false, cipher: nil)
        }
        guard let reader else { return false }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            guard let count = try reader.read(into: chunk, context) else { return false }
            guard count > 0 else { return true }
            bytes += chunk.prefix(count)
            guard bytes.count <= SubtitleSegment.byteLimit else {
                throw MediaError(
                    .exceedsLimits,
                    "subtitle segment too large (limit \(SubtitleSegment.byteLimit >> 20) MiB)"
                )
            }
        }
    }

    /// Returns the offset of the times of a segment, whose declared duration is in microseconds.
    private func timelineShift(
        of segment: SubtitleSegment,
        _ duration: Int64,
        _ context: ReadContext
    ) throws(MediaError) -> MediaTime {
        let start = zero + (tracker.estimatedItemTime(of: index) ?? startTime(of: index))
        let plain = segment.shift(near: start)
        let offset = try shifts.shift(of: index, in: tracker, context)
        guard offset != .zero else { return plain }
        let shifted = segment.shift(near: start - offset) + offset
        // The timestamp maps of some servers do not follow the timestamps of the media.
        let end = start + MediaTime(value: duration, timescale: 1_000_000)
        func distance(_ shift: MediaTime) -> MediaTime {
            let cue = segment.firstCueStart + shift
            return max(.zero, start - cue, cue - end)
        }
        return distance(shifted) <= distance(plain) ? shifted : plain
    }

    /// Returns the packets of a segment on the item's timeline, or nil if the call was interrupted.
    private func packets(_ segment: SubtitleSegment, _ duration: Int64, _ context: ReadContext)
        throws(MediaError) -> [Packet]?
    {
        guard segment.hasCues else { return [] }
        let shift = try timelineShift(of: segment, duration, context)
        let demuxer = demuxers.make(InMemoryByteSource(segment.bytes), container: "webvtt")
        defer { demuxers.drop(demuxer) }
        _ = try demuxer.open().get()
        demuxer.setTimeline(zero: zero, shift: shift)
        var packets: [Packet] = []
        while true {
            guard case .ready(let next) = try demuxer.read() else { return nil }
            guard var packet = next else { return packets }
            packet.track = track
            packets.append(packet)
        }
    }
}
