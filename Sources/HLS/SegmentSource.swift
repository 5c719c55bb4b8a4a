internal import MediaCore
internal import PlayheadBackend

/// The segments of a media playlist as one byte stream, forward only, for the demuxer of their container.
///
/// The stream ends before segments of another format (after a discontinuity or with another `EXT-X-MAP`), before
/// segments that the playlist declares as not available (`EXT-X-GAP`), and where segments were removed from a live
/// playlist before they were read. `begin(at:)` opens the next stream.
///
/// `@unchecked Sendable`: all members are confined to the lane of the demuxer that reads it.
final class SegmentSource: ByteSource, @unchecked Sendable {
    /// The reason why the stream has ended.
    enum Stop {
        case none
        /// Segments of another format, or segments after a gap or after removed ones, follow.
        case atBreak
        /// The segment cannot be read.
        case lost(MediaError)
    }

    /// A source and its reader.
    private struct Request {
        let url: String
        let source: any ResourceByteSource
        weak var context: ReadContext?
    }

    private let resources: PresentationResources
    private let makeCipher: (_ key: [UInt8], _ iv: [UInt8]) throws(MediaError) -> any BlockCipher
    private var tracker: MediaPlaylistTracker
    /// The index of the current segment in the playlist.
    private(set) var index = 0
    /// The offset of the next byte in the stream.
    private var position: Int64 = 0
    private var reader: SegmentReader?
    private var hasDeliveredMap = false
    /// The boxes of the stream, or nil if it is not MP4 with a map.
    private var boxes: BoxBoundary?
    /// A segment with the discontinuity and map that all segments of the stream have.
    private var format: PlaylistSegment?
    private(set) var stop = Stop.none
    /// Whether some bytes of the lost segment have been delivered, so that the last packet would be incomplete.
    private var isPartiallyDelivered = false
    /// The errors of segments without bytes that have been passed. The rendition removes them when it reports them.
    var emptySegments: [MediaError] = []
    /// The number of empty segments in a row that are reported. More errors in a row could end playback.
    private static let maximumEmptySegmentCount = 10
    /// The number of packets of the segments that have been dequeued.
    private var dequeuedCount = 0
    /// The number of packets after which segments are prefetched, because playback has begun.
    private static let readAheadThreshold = 12
    /// The sequence number of the segment that has been prefetched.
    private var prefetchedSequence: Int64?
    /// The sources and readers of current and prefetched segments. They are released when the stream has moved on.
    private var requests: [Request] = []
    /// The index of the first segment of the stream, or nil before that segment is in the playlist.
    private(set) var streamStart: Int?
    /// The start of the first segment if it is packed audio, in ticks of 1/90000 s. Otherwise nil, because the
    /// container has timestamps.
    private(set) var timestamp: Int64?

    var byteCount: Int64? { nil }
    var isSeekable: Bool { false }
    var isLocal: Bool { resources.isLocal }

    init(
        _ playlist: MediaPlaylist,
        url: String,
        resources: PresentationResources,
        liveOffset: Int64?,
        start: PlaylistStart? = nil,
        makeCipher: @escaping ([UInt8], [UInt8]) throws(MediaError) -> any BlockCipher
    ) {
        self.resources = resources
        self.makeCipher = makeCipher
        tracker = MediaPlaylistTracker(playlist, url: url, resources: resources)
        let first = tracker.firstIndex(offset: liveOffset, start: start)
        index = availableIndex(from: first)
        // The newest segments of a live presentation may be gaps, and the offset may be zero.
        if segment == nil, let earlier = availableIndex(before: first) { index = earlier }
    }

    var playlist: MediaPlaylist { tracker.playlist }
    var segment: PlaylistSegment? { tracker.segment(index) }
    /// Returns the segment with an index, or nil if it is not in the playlist. Indices begin with the first segment
    /// at the time of opening.
    func segment(at index: Int) -> PlaylistSegment? { tracker.segment(index) }
    /// Returns the start time of a segment in microseconds, relative to index 0.
    func start(of index: Int) -> Int64 { tracker.start(of: index) }
    /// Returns the estimated item time of a segment; see `MediaPlaylistTracker`.
    func estimatedItemTime(of index: Int) -> MediaTime? { tracker.estimatedItemTime(of: index) }
    /// The index of the first segment in the playlist.
    var firstAvailableIndex: Int { tracker.removedCount }
    /// The index after the last segment in the playlist.
    var endIndex: Int { tracker.removedCount + tracker.playlist.segments.count }
    /// The number of times that the playlist has been replaced.
    var playlistVersion: Int { tracker.version }
    /// When the server sent the playlist, in nanoseconds of the network's clock.
    var playlistTime: Int64 { tracker.updateTime }

    /// Reloads a live playlist that may have changed. Returns false if the call must be repeated when the context is
    /// woken.
    func refreshPlaylist(_ context: ReadContext) throws(MediaError) -> Bool { try tracker.refresh(context) }

    /// Returns the index of the first segment at or after `index` that is available, or the end of the playlist.
    private func availableIndex(from index: Int) -> Int {
        var index = index
        while tracker.segment(index)?.isGap == true { index += 1 }
        return index
    }

    /// Returns the index of the last segment before `index` that is available, or nil if there is none.
    func availableIndex(before index: Int) -> Int? {
        var index = index - 1
        while index >= firstAvailableIndex, tracker.segment(index)?.isGap == true { index -= 1 }
        return index >= firstAvailableIndex ? index : nil
    }

    /// Returns true if the segment is the first one after a discontinuity.
    func followsDiscontinuity(_ index: Int) -> Bool {
        guard let segment = tracker.segment(index), let last = tracker.segment(index - 1) else {
            return false
        }
        return last.discontinuity != segment.discontinuity
    }

    /// Begins a new stream with a segment, or with the first available one after it.
    func begin(at index: Int) {
        self.index = availableIndex(from: index)
        position = 0
        reader = nil
        hasDeliveredMap = false
        boxes = nil
        format = nil
        streamStart = nil
        stop = .none
        prefetchedSequence = nil
        timestamp = nil
        releaseUnneeded()
    }

    /// Records that a packet of the segments has been dequeued.
    func noteDequeuedPacket() { dequeuedCount += 1 }

    /// Requests the first bytes of the stream, so that they are on their way when they are read.
    func requestFirstBytes(_ context: ReadContext) {
        guard reader == nil, let segment else { return }
        do throws(MediaError) {
            if let map = segment.map { try request(map, segment.mapKey, of: segment, context) }
            try request(segment.resource, segment.key, of: segment, context)
        } catch {
            // The read reports the error.
        }
    }

    /// Throws an error, because segments can only be read with a context.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        throw MediaError(.invalidArgument, "segments can only be read with a ReadContext")
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        guard offset == position else {
            throw MediaError(.notSeekable, "segments can only be read in order", location: tracker.name)
        }
        if case .lost(let error) = stop {
            if isPartiallyDelivered { throw error }
            return 0
        }
        guard !buffer.isEmpty else { return 0 }
        let count: Int?
        do throws(MediaError) {
            count = try next(into: buffer, context)
        } catch {
            // The loss of a whole segment ends the stream, so that the demuxer returns the packets it still has.
            if case .lost = stop, !isPartiallyDelivered { return 0 }
            throw error
        }
        guard let count else { throw .waiting(for: "the server", location: tracker.name) }
        return count
    }

    /// Reads the next bytes. Returns 0 at the end, or nil if none are available.
    private func next(into buffer: UnsafeMutableRawBufferPointer, _ context: ReadContext)
        throws(MediaError) -> Int?
    {
        while true {
            guard case .ready(let found) = try currentReader(context) else { return nil }
            guard let reader = found else { return 0 }
            guard let count = try read(reader, into: buffer, context) else { return nil }
            if timestamp == nil { timestamp = reader.timestamp }
            if count > 0 {
                position += Int64(count)
                if reader.isMap { boxes = boxes ?? BoxBoundary() }
                boxes?.append(UnsafeRawBufferPointer(buffer).prefix(count))
                prefetch(reader, context)
                return count
            }
            let endsWithinBox = boxes?.isComplete == false
            // libav would take the next segment for the rest of the box, and lose all those that follow.
            if endsWithinBox, !reader.isMap { throw markLost(Self.incompleteBox, segment) }
            // The map of a transport stream has no boxes.
            if boxes != nil { boxes = endsWithinBox ? nil : BoxBoundary() }
            self.reader = nil
            if reader.isMap {
                hasDeliveredMap = true
            } else {
                if !reader.hasBegun { noteEmptySegment() }
                index += 1
            }
            releaseUnneeded()
        }
    }

    /// Releases sources that neither the current nor the next segment needs.
    private func releaseUnneeded() {
        let needed = [segment, tracker.segment(index + 1)].flatMap { segment in
            [segment?.resource.url, segment?.map?.url].compactMap(\.self)
        }
        for other in requests where !needed.contains(other.url) {
            if let context = other.context { other.source.removeReader(context) }
        }
        requests.removeAll { !needed.contains($0.url) }
    }

    /// Records a source that must be released later.
    private func track(_ source: any ResourceByteSource, _ url: String, _ context: ReadContext) {
        guard !requests.contains(where: { $0.source === source && $0.context === context }) else { return }
        requests.append(Request(url: url, source: source, context: context))
    }

    func cancel() {}

    /// Returns the reader of the current segment or map, or nil at the end of the stream.
    private func currentReader(_ context: ReadContext) throws(MediaError) -> Poll<SegmentReader?> {
        if let reader { return .ready(reader) }
        let expected = index
        guard case .ready(let found) = try tracker.segment(&index, context) else { return .pending }
        guard let segment = found else { return .ready(nil) }
        if format != nil, index != expected {
            // Segments were removed before they were read. Packed audio would continue without a gap.
            stop = .atBreak
            return .ready(nil)
        }
        if segment.isGap {
            index = availableIndex(from: index)
            stop = .atBreak
            return .ready(nil)
        }
        if let format, format.discontinuity != segment.discontinuity || format.map != segment.map {
            stop = .atBreak
            return .ready(nil)
        }
        if format == nil { streamStart = index }
        format = segment
        let isMap = segment.map != nil && !hasDeliveredMap
        let resource = isMap ? segment.map ?? segment.resource : segment.resource
        let key = isMap ? segment.mapKey : segment.key
        guard case .ready(let cipher) = try cipher(key, segment, isMap: isMap, context) else {
            return .pending
        }
        let source = try source(resource.url, of: segment)
        track(source, resource.url, context)
        let newReader = SegmentReader(resource, source, isMap: isMap, cipher: cipher)
        reader = newReader
        return .ready(newReader)
    }

    private func source(_ url: String, of segment: PlaylistSegment)
        throws(MediaError) -> any ResourceByteSource
    {
        try resources.source(
            url,
            cachePolicy: tracker.cachePolicy,
            validatedAfter: tracker.arrivalTime(of: segment)
        )
    }

    private func read(
        _ reader: SegmentReader,
        into buffer: UnsafeMutableRawBufferPointer,
        _ context: ReadContext
    )
        throws(MediaError) -> Int?
    {
        do throws(MediaError) {
            return try reader.read(into: buffer, context)
        } catch {
            if error.code == .cancelled { throw error }
            resources.forget(reader.resource.url)
            if reader.isMap { throw described(error, "media initialization section") }
            throw markLost(error, segment)
        }
    }

    private static let incompleteBox = MediaError(
        .truncated,
        "the resource ends within a box",
        isRetryable: true
    )

    /// Records a lost segment. In most cases the following segments are playable.
    private func markLost(_ error: MediaError, _ segment: PlaylistSegment?) -> MediaError {
        let error = described(error, "media segment \(segment?.sequence ?? 0)")
        isPartiallyDelivered = reader?.hasBegun ?? false
        stop = .lost(error)
        reader = nil
        return error
    }

    /// Records that the current segment has no bytes. The stream continues with the next one.
    private func noteEmptySegment() {
        let error = MediaError(.truncated, "the resource is empty", isRetryable: true)
        let named = described(error, "media segment \(segment?.sequence ?? 0)")
        let isNew = !emptySegments.contains(named)
        if isNew, emptySegments.count < Self.maximumEmptySegmentCount { emptySegments.append(named) }
    }

    /// Returns the error with the name of the resource.
    private func described(_ error: MediaError, _ what: String) -> MediaError {
        var error = error
        error.message = "\(what): \(error.message)"
        error.location = error.location ?? tracker.name
        return error
    }

    // MARK: Keys

    /// Returns the cipher of a segment. Loads its key if necessary.
    private func cipher(
        _ key: PlaylistKey?,
        _ segment: PlaylistSegment,
        isMap: Bool,
        _ context: ReadContext
    ) throws(MediaError) -> Poll<(any BlockCipher)?> {
        guard let key else { return .ready(nil) }
        guard case .aes128(let reference, let iv) = key else {
            guard case .unsupported(let method) = key else { return .ready(nil) }
            throw MediaError(
                .encrypted,
                "unsupported encryption method \(method)",
                location: tracker.name
            )
        }
        guard let bytes = try self.key(reference.url, context) else { return .pending }
        if let iv { return .ready(try makeCipher(bytes, iv)) }
        let number = withUnsafeBytes(of: segment.sequence.bigEndian) { Array($0) }
        return .ready(try makeCipher(bytes, [UInt8](repeating: 0, count: 8) + number))
    }

    /// Returns a key, or nil if it is not available yet. Loads it on the first call.
    private func key(_ url: String, _ context: ReadContext) throws(MediaError) -> [UInt8]? {
        if let known = resources.key(url) { return known }
        do throws(MediaError) {
            var download = ResourceDownload(try resources.source(url, cachePolicy: .inMemory))
            guard let bytes = try download.resume(upTo: 16, context) else { return nil }
            guard bytes.count == 16 else {
                let count = bytes.count > 16 ? "more than 16" : "\(bytes.count)"
                throw MediaError(.encrypted, "wrong key length: \(count) bytes instead of 16")
            }
            resources.store(key: bytes, for: url)
            return bytes
        } catch {
            if error.code == .cancelled { throw error }
            resources.forget(url)
            throw described(error, "encryption key")
        }
    }

    // MARK: Prefetching

    /// Requests the beginning of the next segment when three quarters of the current one have been read.
    private func prefetch(_ reader: SegmentReader, _ context: ReadContext) {
        guard dequeuedCount >= Self.readAheadThreshold || reader.isMap,
            let next = reader.isMap ? segment : tracker.segment(index + 1),
            next.sequence != prefetchedSequence, !next.isGap,
            reader.isMap || reader.isNearEnd
        else { return }
        prefetchedSequence = next.sequence
        do throws(MediaError) {
            try request(next.resource, next.key, of: next, context)
        } catch {
            // The read reports the error.
        }
    }

    private func request(
        _ resource: PlaylistResource,
        _ key: PlaylistKey?,
        of segment: PlaylistSegment,
        _ context: ReadContext
    ) throws(MediaError) {
        // Files are available at once.
        if resources.isLocal { return }
        if case .aes128(let reference, _) = key {
            let url = reference.url
            if resources.key(url) == nil {
                try request(try resources.source(url, cachePolicy: .inMemory), at: 0, context)
            }
        }
        let source = try source(resource.url, of: segment)
        track(source, resource.url, context)
        try request(source, at: resource.range?.lowerBound ?? 0, context)
    }

    private func request(_ source: any ByteSource, at offset: Int64, _ context: ReadContext)
        throws(MediaError)
    {
        _ = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte throws(MediaError) in
            try source.readIfAvailable(at: offset, into: byte, context: context)
        }
    }
}
