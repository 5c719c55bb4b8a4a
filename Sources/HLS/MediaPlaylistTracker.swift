internal import Dispatch
internal import MediaCore

/// The segments that there are of a playlist, which are read again while it grows.
///
/// Confined to the lane of the demuxer that reads it.
struct MediaPlaylistTracker {
    private(set) var playlist: MediaPlaylist
    private let url: String
    private let resources: PresentationResources
    /// Segments that the playlist has lost at its front since it was opened.
    private(set) var removedCount = 0
    /// How long they were together, in microseconds.
    private var removedDuration: Int64 = 0
    private var load: PlaylistLoad?
    /// When it is read again, by the machine's clock.
    private var reloadTime: UInt64 = 0
    /// Who is woken then.
    private var scheduledWake: (context: ObjectIdentifier, time: UInt64)?
    /// Reloads that brought nothing new, in a row.
    private var unchangedReloads = 0
    private var failedReloads = 0
    /// When segments came into a playlist that grows, from a number on: their URLs may have been others' before.
    private var arrivals: [(sequence: Int64, time: Int64)] = []

    /// Reloads without a new segment after which the presentation is taken for abandoned.
    private static let unchangedReloadLimit = 20
    private static let failureLimit = 3

    init(_ playlist: MediaPlaylist, url: String, resources: PresentationResources) {
        self.playlist = playlist
        self.url = url
        self.resources = resources
        reloadTime = Self.now + Self.nanoseconds(playlist.targetDuration)
        if !playlist.hasEnded, let first = playlist.segments.first {
            arrivals = [(first.sequence, resources.provider.now)]
        }
    }

    /// Where what comes of segments and their maps stays.
    var cachePolicy: CachePolicy { playlist.hasEnded && arrivals.isEmpty ? .everywhere : .inMemory }

    /// What servers have said of the segment's resources since then holds; see `RemoteResourceProvider.open`.
    func arrivalTime(of segment: PlaylistSegment) -> Int64 {
        arrivals.last { $0.sequence <= segment.sequence }?.time ?? arrivals.first?.time ?? 0
    }

    var name: String { PlaylistURL.name(url) }

    /// Where playing begins: of a live presentation three target durations before its end.
    var firstIndex: Int {
        guard playlist.kind == .live, !playlist.hasEnded else { return 0 }
        var rest = playlist.targetDuration.multipliedReportingOverflow(by: 3).partialValue
        var index = playlist.segments.count
        while index > 0, rest > 0 {
            index -= 1
            rest -= playlist.segments[index].duration
        }
        return index
    }

    /// Segments are counted from those that the playlist began with when it was opened. nil: it is not there.
    func segment(_ index: Int) -> PlaylistSegment? {
        let position = index - removedCount
        return playlist.segments.indices.contains(position) ? playlist.segments[position] : nil
    }

    /// Where a segment begins, counted from the first one that was there when the playlist was opened; in microseconds.
    func start(of index: Int) -> Int64 {
        playlist.segments.prefix(max(0, index - removedCount)).reduce(removedDuration) {
            $0.addingReportingOverflow($1.duration).partialValue
        }
    }

    /// The segment, or the first behind it that is still there: then `index` is that one's. nil: the presentation is over.
    /// `.notReady`: it is not there yet, and the context is woken.
    mutating func segment(_ index: inout Int, _ context: ReadContext) throws(MediaError) -> PlaylistSegment? {
        while true {
            index = max(index, removedCount)
            if let found = segment(index) { return found }
            if playlist.hasEnded { return nil }
            try reload(context)
        }
    }

    private mutating func reload(_ context: ReadContext) throws(MediaError) {
        let now = Self.now
        guard load != nil || now >= reloadTime else {
            if scheduledWake?.context != ObjectIdentifier(context) || scheduledWake?.time != reloadTime {
                let delay = Int64(clamping: reloadTime - now)
                try resources.provider.call(after: delay) { [weak context] in context?.wake() }
                scheduledWake = (ObjectIdentifier(context), reloadTime)
            }
            throw MediaError(.notReady, "waiting for the next segment", location: name, isRetryable: true)
        }
        var read = load ?? PlaylistLoad(url, resources)
        do throws(MediaError) {
            let entry = try read.resume(context, isFresh: true)
            load = nil
            guard case .media(let new) = entry.playlist else {
                throw MediaError(.unrecognizedFormat, "the playlist has become another one", location: name)
            }
            try apply(new)
            failedReloads = 0
        } catch {
            if error.code == .notReady {
                load = read
                throw error
            }
            load = nil
            failedReloads += 1
            guard error.code != .cancelled, failedReloads < Self.failureLimit else { throw error }
            reloadTime = Self.now + Self.nanoseconds(playlist.targetDuration)
        }
        guard unchangedReloads < Self.unchangedReloadLimit else {
            throw MediaError(
                .timedOut,
                "the playlist does not grow any more, and does not end",
                location: name
            )
        }
    }

    private mutating func apply(_ new: MediaPlaylist) throws(MediaError) {
        let old = playlist
        let first = old.segments.first?.sequence ?? new.segments.first?.sequence ?? 0
        let removed = (new.segments.first?.sequence ?? first) - first
        let isNew = new.segments.last?.sequence != old.segments.last?.sequence || new.hasEnded
        guard removed >= 0 else {
            throw MediaError(.resourceChanged, "the playlist has begun anew", location: name)
        }
        removedCount += Int(clamping: removed)
        for segment in old.segments.prefix(Int(clamping: removed)) {
            removedDuration = removedDuration.addingReportingOverflow(segment.duration).partialValue
        }
        noteArrivals(in: new, after: old.segments.last?.sequence)
        playlist = new
        unchangedReloads = isNew ? 0 : unchangedReloads + 1
        // What brought nothing is asked again after half the time.
        let interval = Self.nanoseconds(new.targetDuration)
        reloadTime = Self.now + (isNew ? interval : interval / 2)
    }

    private mutating func noteArrivals(in new: MediaPlaylist, after last: Int64?) {
        guard let first = new.segments.first else { return }
        if let arrived = new.segments.first(where: { segment in last.map { segment.sequence > $0 } ?? true })
        {
            arrivals.append((arrived.sequence, resources.provider.now))
        }
        // Those of segments that have gone tell nothing any more.
        if let position = arrivals.lastIndex(where: { $0.sequence <= first.sequence }) {
            arrivals.removeFirst(position)
        }
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// At least a tenth of a second: a server decides it.
    private static func nanoseconds(_ microseconds: Int64) -> UInt64 {
        UInt64(clamping: min(max(microseconds, 100_000), 3_600_000_000)) * 1000
    }
}
