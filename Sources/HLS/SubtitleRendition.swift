internal import MediaCore
internal import PlayheadBackend

/// A playlist of segments of WebVTT that is open. Each segment is read as a whole and stands for itself.
///
/// Confined to the lane of the demuxer that it belongs to.
final class SubtitleRendition {
    /// `Track.id`.
    let track: Int
    var isEnabled = false
    private let demuxers: DemuxerSet
    private let zero: MediaTime
    private var tracker: MediaPlaylistTracker
    private var index: Int
    /// Of the segment being read.
    private var reader: SegmentReader?
    private var bytes: [UInt8] = []
    /// Packets that were read and not taken.
    private var pending: [Packet] = []
    private var isAtEnd = false
    /// Segments that could not be had, in a row.
    private var lostSegments = 0
    private static let lostLimit = 3

    init(_ playlist: MediaPlaylist, url: String, track: Int, zero: MediaTime, demuxers: DemuxerSet) {
        self.track = track
        self.zero = zero
        self.demuxers = demuxers
        tracker = MediaPlaylistTracker(playlist, url: url, resources: demuxers.resources)
        index = tracker.firstIndex
    }

    func makeDecoder() throws(MediaError) -> any TextDecoder {
        // Any text serves: libav keeps nothing of it in the decoder.
        let sample = "WEBVTT\n\n00:00.000 --> 00:00.001\n.\n"
        let demuxer = demuxers.make(InMemoryByteSource(Array(sample.utf8)), container: "webvtt")
        defer { demuxers.drop(demuxer) }
        let description = try demuxer.open()
        guard let found = description.tracks.first else {
            throw MediaError(.decoderNotFound, "WebVTT cannot be decoded", track: track)
        }
        return NumberedTextDecoder(try demuxer.makeTextDecoder(for: found.id), track: track)
    }

    /// The next packet, which stays the next one. nil at the end.
    func peek(_ context: ReadContext) throws(MediaError) -> Packet? {
        while pending.isEmpty, !isAtEnd { try readSegment(context) }
        return pending.first
    }

    func dequeue() { if !pending.isEmpty { pending.removeFirst() } }

    /// From the segment on that holds an item time.
    func begin(at time: MediaTime) {
        discardReader()
        pending = []
        isAtEnd = false
        lostSegments = 0
        index = tracker.removedCount
        guard tracker.playlist.hasEnded else { return }
        let goal = time.microseconds
        while tracker.segment(index + 1) != nil, tracker.start(of: index + 1) <= goal { index += 1 }
    }

    private func readSegment(_ context: ReadContext) throws(MediaError) {
        guard let segment = try tracker.segment(&index, context) else {
            isAtEnd = true
            return
        }
        do throws(MediaError) {
            if !segment.isGap {
                try readSubtitles(segment, context)
                pending = try packets(SubtitleSegment(bytes))
            }
            lostSegments = 0
        } catch {
            guard error.code != .notReady, error.code != .cancelled else { throw error }
            throw skipped(error, segment)
        }
        advance()
    }

    /// The words of the next segments are worth asking for.
    private func skipped(_ error: MediaError, _ segment: PlaylistSegment) -> MediaError {
        var error = error
        error.message = "words, segment \(segment.sequence): \(error.message)"
        error.location = error.location ?? tracker.name
        lostSegments += 1
        error.isRetryable = error.isSkippable && lostSegments < Self.lostLimit
        demuxers.resources.forget(segment.resource.url)
        advance()
        return error
    }

    /// Also of a segment without words it is told that reading has come behind it.
    private func advance() {
        discardReader()
        index += 1
        guard tracker.playlist.hasEnded else { return }
        let end = MediaTime(value: tracker.start(of: index), timescale: 1_000_000)
        pending.append(
            Packet(
                track: track,
                presentationTime: end,
                decodeTime: end,
                duration: nil,
                byteCount: 0,
                isKeyFrame: true,
                payload: ProgressMarkerPayload()
            )
        )
    }

    private func discardReader() {
        reader = nil
        bytes = []
    }

    private func readSubtitles(_ segment: PlaylistSegment, _ context: ReadContext) throws(MediaError) {
        guard segment.key == nil else { throw MediaError(.encrypted, "encrypted words are not read") }
        guard segment.map == nil else { throw MediaError(.decoderNotFound, "words in MP4 are not read") }
        if reader == nil {
            let source = try demuxers.resources.source(
                segment.resource.url,
                cachePolicy: tracker.cachePolicy,
                validatedAfter: tracker.arrivalTime(of: segment)
            )
            reader = SegmentReader(segment.resource, source, isMap: false, cipher: nil)
        }
        guard let reader else { return }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = try reader.read(into: chunk, context)
            guard count > 0 else { return }
            bytes += chunk.prefix(count)
            guard bytes.count <= SubtitleSegment.byteLimit else {
                throw MediaError(.exceedsLimits, "it is longer than \(SubtitleSegment.byteLimit >> 20) MiB")
            }
        }
    }

    private func packets(_ segment: SubtitleSegment) throws(MediaError) -> [Packet] {
        guard segment.hasCues else { return [] }
        let demuxer = demuxers.make(InMemoryByteSource(segment.bytes), container: "webvtt")
        defer { demuxers.drop(demuxer) }
        _ = try demuxer.open()
        demuxer.setTimeline(zero: zero, shift: segment.shift(zero: zero))
        var packets: [Packet] = []
        while var packet = try demuxer.read() {
            packet.track = track
            packets.append(packet)
        }
        return packets
    }
}
