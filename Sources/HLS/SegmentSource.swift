internal import MediaCore
internal import PlayheadBackend

/// The segments of a playlist as one stream of bytes, forward only, for the demuxer of the container that they are parts of.
///
/// Where segments of another kind follow (a discontinuity, another `EXT-X-MAP`) the stream ends, and `begin(at:)` opens the
/// next one.
///
/// `@unchecked Sendable`: all is confined to the lane of the demuxer that reads it.
final class SegmentSource: ByteSource, @unchecked Sendable {
    /// Why the stream has ended, or does not go on.
    enum Stop {
        case none
        /// Other segments follow.
        case atFormatChange
        /// The segment cannot be had.
        case lost(MediaError)
    }

    private struct Request {
        let url: String
        let source: any ByteSource
        weak var context: ReadContext?
    }

    private let resources: PresentationResources
    private let makeCipher: (_ key: [UInt8], _ iv: [UInt8]) throws(MediaError) -> any BlockCipher
    private var tracker: MediaPlaylistTracker
    /// Of the segment being read, in the window.
    private(set) var index = 0
    /// Where the stream stands: the next byte.
    private var position: Int64 = 0
    private var reader: SegmentReader?
    private var hasDeliveredMap = false
    /// What the stream's segments have in common.
    private var format: PlaylistSegment?
    private(set) var stop = Stop.none
    /// Some of the lost segment was handed out: what the demuxer would make of it is not whole.
    private var isPartiallyDelivered = false
    /// The next segment may be asked for: playing has begun.
    var readsAhead = false
    /// A later segment was asked for.
    private var prefetchedSequence: Int64?
    /// Sources that were read, or asked for what comes next, and by whom: they are left when the stream has gone on.
    private var requests: [Request] = []
    /// When the first segment of packed audio in the stream begins, in ticks of 1/90000 s; nil: the container says it.
    private(set) var timestamp: Int64?

    var byteCount: Int64? { nil }
    var isSeekable: Bool { false }
    var isLocal: Bool { false }

    init(
        _ playlist: MediaPlaylist,
        url: String,
        resources: PresentationResources,
        makeCipher: @escaping ([UInt8], [UInt8]) throws(MediaError) -> any BlockCipher
    ) {
        self.resources = resources
        self.makeCipher = makeCipher
        tracker = MediaPlaylistTracker(playlist, url: url, resources: resources)
        index = tracker.firstIndex
    }

    var playlist: MediaPlaylist { tracker.playlist }
    var segment: PlaylistSegment? { tracker.segment(index) }
    /// Counted from the first one that was there when the playlist was opened; nil: it is not there.
    func segment(at index: Int) -> PlaylistSegment? { tracker.segment(index) }
    /// In microseconds from there.
    func start(of index: Int) -> Int64 { tracker.start(of: index) }
    /// The first that is still there.
    var firstAvailableIndex: Int { tracker.removedCount }

    /// The stream begins anew, with this segment.
    func begin(at index: Int) {
        self.index = index
        position = 0
        reader = nil
        hasDeliveredMap = false
        format = nil
        stop = .none
        prefetchedSequence = nil
        timestamp = nil
        releaseUnneeded()
    }

    /// Asks for what the stream begins with, so that it is on its way.
    func requestFirstBytes(_ context: ReadContext) {
        guard reader == nil, let segment else { return }
        do throws(MediaError) {
            if let map = segment.map { try request(map, segment.mapKey, of: segment, context) }
            try request(segment.resource, segment.key, of: segment, context)
        } catch {
            // Who reads is told.
        }
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        throw MediaError(.invalidArgument, "segments are read by demuxers alone")
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        guard offset == position else {
            throw MediaError(.notSeekable, "segments are read in order", location: tracker.name)
        }
        if case .lost(let error) = stop {
            if isPartiallyDelivered { throw error }
            return 0
        }
        guard !buffer.isEmpty else { return 0 }
        while true {
            guard let reader = try endingAtLoss({ () throws(MediaError) in try currentReader(context) })
            else {
                return 0
            }
            guard
                let count = try endingAtLoss({ () throws(MediaError) in
                    try read(reader, into: buffer, context)
                })
            else { return 0 }
            if timestamp == nil { timestamp = reader.timestamp }
            if count > 0 {
                position += Int64(count)
                prefetch(reader, context)
                return count
            }
            self.reader = nil
            if reader.isMap { hasDeliveredMap = true } else { index += 1 }
            releaseUnneeded()
        }
    }

    /// Nothing is fetched or held any more of what neither this segment nor the next one needs.
    private func releaseUnneeded() {
        let needed = [segment, tracker.segment(index + 1)].flatMap { segment in
            [segment?.resource.url, segment?.map?.url].compactMap(\.self)
        }
        for other in requests where !needed.contains(other.url) {
            if let context = other.context { resources.provider.release(other.source, context) }
        }
        requests.removeAll { !needed.contains($0.url) }
    }

    private func track(_ source: any ByteSource, _ url: String, _ context: ReadContext) {
        guard !requests.contains(where: { $0.source === source && $0.context === context }) else { return }
        requests.append(Request(url: url, source: source, context: context))
    }

    func cancel() {}

    /// Where a segment is lost as a whole, the demuxer sees an end, and hands out what it has of those before.
    private func endingAtLoss<Value>(_ body: () throws(MediaError) -> Value?) throws(MediaError) -> Value? {
        do throws(MediaError) {
            return try body()
        } catch {
            if case .lost = stop, !isPartiallyDelivered { return nil }
            throw error
        }
    }

    /// nil: the stream ends here.
    private func currentReader(_ context: ReadContext) throws(MediaError) -> SegmentReader? {
        if let reader { return reader }
        guard let segment = try tracker.segment(&index, context) else { return nil }
        if let format, format.discontinuity != segment.discontinuity || format.map != segment.map {
            stop = .atFormatChange
            return nil
        }
        format = segment
        let isMap = segment.map != nil && !hasDeliveredMap
        if segment.isGap, !isMap {
            throw markLost(MediaError(.notFound, "the server says that a segment is missing"), segment)
        }
        let resource = isMap ? segment.map ?? segment.resource : segment.resource
        let key = isMap ? segment.mapKey : segment.key
        let cipher = try cipher(key, segment, isMap: isMap, context)
        let source = try source(resource.url, of: segment)
        track(source, resource.url, context)
        let made = SegmentReader(resource, source, isMap: isMap, cipher: cipher)
        reader = made
        return made
    }

    private func source(_ url: String, of segment: PlaylistSegment) throws(MediaError) -> any ByteSource {
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
        throws(MediaError) -> Int
    {
        do throws(MediaError) {
            return try reader.read(into: buffer, context)
        } catch {
            switch error.code {
            case .notReady, .cancelled: throw error
            default:
                resources.forget(reader.resource.url)
                if reader.isMap { throw described(error, "the beginning of the segments") }
                throw markLost(error, segment)
            }
        }
    }

    /// What comes behind it is worth playing, in most cases.
    private func markLost(_ error: MediaError, _ segment: PlaylistSegment?) -> MediaError {
        let error = described(error, "segment \(segment?.sequence ?? 0)")
        isPartiallyDelivered = reader?.hasBegun ?? false
        stop = .lost(error)
        reader = nil
        return error
    }

    private func described(_ error: MediaError, _ what: String) -> MediaError {
        var error = error
        error.message = "\(what): \(error.message)"
        error.location = error.location ?? tracker.name
        return error
    }

    // MARK: Keys

    private func cipher(
        _ key: PlaylistKey?,
        _ segment: PlaylistSegment,
        isMap: Bool,
        _ context: ReadContext
    ) throws(MediaError) -> (any BlockCipher)? {
        guard let key else { return nil }
        guard case .aes128(let url, let iv) = key else {
            guard case .unsupported(let method) = key else { return nil }
            throw MediaError(
                .encrypted,
                "the segments are encrypted by \(method), for which there is no key",
                location: tracker.name
            )
        }
        let bytes = try self.key(url, context)
        if let iv { return try makeCipher(bytes, iv) }
        let number = withUnsafeBytes(of: segment.sequence.bigEndian) { Array($0) }
        return try makeCipher(bytes, [UInt8](repeating: 0, count: 8) + number)
    }

    private func key(_ url: String, _ context: ReadContext) throws(MediaError) -> [UInt8] {
        if let known = resources.key(url) { return known }
        do throws(MediaError) {
            var read = ResourceDownload(try resources.source(url, cachePolicy: .inMemory))
            let bytes = try read.resume(upTo: 16, context)
            guard bytes.count == 16 else {
                let count = bytes.count > 16 ? "more than 16" : "\(bytes.count)"
                throw MediaError(.encrypted, "it has \(count) bytes instead of 16")
            }
            resources.store(key: bytes, for: url)
            return bytes
        } catch {
            if error.code == .notReady || error.code == .cancelled { throw error }
            resources.forget(url)
            throw described(error, "the key of the segments")
        }
    }

    // MARK: Ahead

    /// The next segment is asked for before this one has been read.
    private func prefetch(_ reader: SegmentReader, _ context: ReadContext) {
        guard readsAhead || reader.isMap, let next = reader.isMap ? segment : tracker.segment(index + 1),
            next.sequence != prefetchedSequence,
            reader.isMap || reader.isNearEnd
        else { return }
        prefetchedSequence = next.sequence
        do throws(MediaError) {
            try request(next.resource, next.key, of: next, context)
        } catch {
            // Who reads it is told.
        }
    }

    private func request(
        _ resource: PlaylistResource,
        _ key: PlaylistKey?,
        of segment: PlaylistSegment,
        _ context: ReadContext
    ) throws(MediaError) {
        if case .aes128(let url, _) = key, resources.key(url) == nil {
            try request(try resources.source(url, cachePolicy: .inMemory), at: 0, context)
        }
        let source = try source(resource.url, of: segment)
        track(source, resource.url, context)
        try request(source, at: resource.range?.lowerBound ?? 0, context)
    }

    private func request(_ source: any ByteSource, at offset: Int64, _ context: ReadContext)
        throws(MediaError)
    {
        do throws(MediaError) {
            _ = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte throws(MediaError) in
                try source.read(at: offset, into: byte, context: context)
            }
        } catch {
            guard error.code == .notReady else { throw error }
        }
    }
}

extension MediaError {
    /// What comes behind a segment that is lost by this is worth asking for.
    var isSkippable: Bool {
        switch code {
        case .untrustedServer, .forbidden, .resourceLimit, .encrypted, .invalidArgument: false
        default: true
        }
    }
}
