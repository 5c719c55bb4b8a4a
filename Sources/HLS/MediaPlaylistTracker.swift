internal import MediaCore

/// The segments of a media playlist, which is reloaded while it is live.
///
/// Confined to the lane of the demuxer that reads it.
struct MediaPlaylistTracker {
    private(set) var playlist: MediaPlaylist {
        didSet { ends = Self.ends(of: playlist) }
    }
    /// The end of each segment in microseconds, relative to the first segment of the current playlist.
    private var ends: [Int64]
    private let url: String
    private let resources: PresentationResources
    /// Whether the segments are subtitles. Another demuxer than that of the media reads them, so they say nothing about
    /// what that one waits for.
    private let isOfSubtitles: Bool
    /// The number of segments that have been removed from the playlist since it was opened.
    private(set) var removedCount = 0
    /// The number of times that the playlist has been replaced.
    private(set) var version = 0
    /// When the server sent the playlist, in nanoseconds of the network's clock.
    private(set) var updateTime: Int64
    /// The duration of the removed segments in microseconds.
    private var removedDuration: Int64 = 0
    private var load: PlaylistLoad?
    /// The time of the next reload, by the machine's clock.
    private var reloadTime: Int64 = 0
    /// The reader that is woken for the next reload.
    private var scheduledWake: (context: ObjectIdentifier, time: Int64)?
    /// The number of consecutive reloads without a change.
    private var unchangedReloads = 0
    /// Whether the newest version of the playlist has no segments. `playlist` has those of the version before.
    private var isEmpty = false
    /// The number of consecutive reloads for a read that have failed.
    private var failedReloads = 0
    /// When segments of a live playlist appeared, by sequence number: an older segment may have had the same URL.
    private var arrivals: [(sequence: Int64, time: Int64)] = []

    /// The number of unchanged reloads after which the presentation counts as abandoned.
    private static let unchangedReloadLimit = 20
    private static let failureLimit = 3

    init(
        _ playlist: MediaPlaylist,
        url: String,
        resources: PresentationResources,
        isOfSubtitles: Bool = false
    ) {
        self.playlist = playlist
        self.isOfSubtitles = isOfSubtitles
        ends = Self.ends(of: playlist)
        self.url = url
        self.resources = resources
        updateTime = resources.root.now
        reloadTime = updateTime + Self.nanoseconds(playlist.targetDuration)
        if !playlist.hasEnded, let first = playlist.segments.first {
            arrivals = [(first.sequence, resources.root.now)]
        }
    }

    /// The storage that may hold segments and their maps.
    var cachePolicy: CachePolicy { playlist.hasEnded && arrivals.isEmpty ? .everywhere : .inMemory }

    /// Returns the time after which a validated response for the segment is fresh. See
    /// `ResourceByteSource.openReferenced`.
    func arrivalTime(of segment: PlaylistSegment) -> Int64 {
        arrivals.last { $0.sequence <= segment.sequence }?.time ?? arrivals.first?.time ?? 0
    }

    /// The URL of the playlist for messages.
    var name: String { Redaction.location(url) }

    /// Returns the index of the segment with which playback begins.
    ///
    /// - Parameters:
    ///   - offset: The minimum offset from the end of a live playlist in microseconds, or nil.
    ///   - start: The preferred start of a live playlist, which applies if `offset` is nil. If both are nil, a playlist
    ///     whose segments are removed begins at the recommended offset, and an `EVENT` playlist with its first segment.
    func firstIndex(offset: Int64?, start: PlaylistStart?) -> Int {
        guard !playlist.hasEnded else { return 0 }
        if offset == nil, let start {
            let time = playlist.time(of: start)
            return ends.firstIndex { $0 > time } ?? ends.count
        }
        guard playlist.kind == .live || offset != nil else { return 0 }
        var rest = offset ?? playlist.recommendedOffset
        var index = playlist.segments.count
        while index > 0, rest > 0 {
            index -= 1
            rest -= playlist.segments[index].duration
        }
        return index
    }

    /// Returns the segment with an index, or nil if it is not in the playlist. Indices begin with the first segment
    /// at the time of opening.
    func segment(_ index: Int) -> PlaylistSegment? {
        let position = index - removedCount
        return playlist.segments.indices.contains(position) ? playlist.segments[position] : nil
    }

    /// Returns the start time of a segment in microseconds, relative to the first segment at the time of opening.
    func start(of index: Int) -> Int64 {
        let count = min(index - removedCount, ends.count)
        return count > 0 ? removedDuration.addingClamped(ends[count - 1]) : removedDuration
    }

    /// Returns the item time of a segment by the published window of a live presentation. It may be wrong by some
    /// segments, because the playlists of a presentation do not change at the same time. Returns nil if there is no
    /// window, and for `EVENT` playlists, which begin with item time zero.
    func estimatedItemTime(of index: Int) -> MediaTime? {
        guard playlist.kind != .event, let window = resources.liveWindow else { return nil }
        let rest = start(of: removedCount.addingClamped(playlist.segments.count))
            .subtractingClamped(start(of: index))
        let end = window.range.end - MediaTime(value: rest, timescale: 1_000_000)
        if window.hasEnded || playlist.hasEnded { return end }
        return end + MediaTime(nanoseconds: updateTime.subtractingClamped(window.updateTime))
    }

    private static func ends(of playlist: MediaPlaylist) -> [Int64] {
        var end: Int64 = 0
        return playlist.segments.map { segment in
            end = end.addingClamped(segment.duration)
            return end
        }
    }

    /// Returns the segment with an index. If it has been removed, advances `index` to the first one available.
    ///
    /// - Returns: The segment, or nil at the end of the presentation. `.pending` if the segment is not in the playlist
    ///   yet. The context will be woken.
    /// - Throws: `MediaError` if the playlist cannot be reloaded.
    mutating func segment(_ index: inout Int, _ context: ReadContext) throws(MediaError)
        -> Poll<PlaylistSegment?>
    {
        while true {
            index = max(index, removedCount)
            if let found = segment(index) { return .ready(found) }
            if playlist.hasEnded { return .ready(nil) }
            guard try reload(context) else { return .pending }
        }
    }

    /// Reloads a live playlist that may have changed, for a seek. Returns false if the call must be repeated when the
    /// context is woken. A reload that fails leaves the playlist as it is, and does not count as a failure: the segments
    /// that are known can still be read.
    ///
    /// - Throws: `MediaError` if the call is interrupted or the presentation is abandoned.
    mutating func refresh(_ context: ReadContext) throws(MediaError) -> Bool {
        guard !playlist.hasEnded, load != nil || resources.root.now >= reloadTime else { return true }
        return try reload(context, mayFail: true)
    }

    /// Reloads the playlist when it is due. Returns false if the call must be repeated when the context is woken.
    private mutating func reload(_ context: ReadContext, mayFail: Bool = false) throws(MediaError) -> Bool {
        let now = resources.root.now
        guard load != nil || now >= reloadTime else {
            if scheduledWake?.context != ObjectIdentifier(context) || scheduledWake?.time != reloadTime {
                try resources.root.wake(context, after: reloadTime - now)
                if !isOfSubtitles { resources.noteAwaited(until: reloadTime) }
                scheduledWake = (ObjectIdentifier(context), reloadTime)
            }
            return false
        }
        var pendingLoad = load ?? PlaylistLoad(url, resources)
        do throws(MediaError) {
            guard let loaded = try pendingLoad.resume(context, isFresh: true) else {
                load = pendingLoad
                return false
            }
            load = nil
            guard case .media(let new) = loaded else {
                throw MediaError(
                    .unrecognizedFormat,
                    "the media playlist has become a master playlist",
                    location: name
                )
            }
            try apply(new)
            failedReloads = 0
        } catch {
            load = nil
            if error.code == .cancelled { throw error }
            if !mayFail { failedReloads += 1 }
            guard failedReloads < Self.failureLimit else { throw error }
            reloadTime = resources.root.now + Self.nanoseconds(playlist.targetDuration)
        }
        guard unchangedReloads < Self.unchangedReloadLimit else {
            throw MediaError(
                .timedOut,
                "the live playlist has not changed in \(Self.unchangedReloadLimit) reloads and has no EXT-X-ENDLIST",
                location: name
            )
        }
        return true
    }

    /// Replaces the playlist by a newer version.
    mutating func apply(_ new: MediaPlaylist) throws(MediaError) {
        let old = playlist
        var new = new
        // A server may offer no segment for a while. The indices continue those of the segments before.
        let wasEmpty = isEmpty
        isEmpty = new.segments.isEmpty
        if isEmpty { new.segments = old.segments }
        Self.alignDiscontinuities(of: &new, with: old)
        let first = old.segments.first?.sequence ?? new.segments.first?.sequence ?? 0
        var removed = (new.segments.first?.sequence ?? first) - first
        // A server that has been restarted begins to count again.
        if wasEmpty, removed < 0 { removed = Int64(old.segments.count) }
        let isNew = new.segments.last?.sequence != old.segments.last?.sequence || new.hasEnded
        guard removed >= 0 else {
            throw MediaError(
                .resourceChanged,
                "the media sequence number of the live playlist has decreased",
                location: name
            )
        }
        removedCount = removedCount.addingClamped(Int(clamping: removed))
        for segment in old.segments.prefix(Int(clamping: removed)) {
            removedDuration = removedDuration.addingClamped(segment.duration)
        }
        removedDuration = removedDuration.addingClamped(Self.gap(between: old, and: new))
        noteArrivals(in: new, after: old.segments.last?.sequence)
        playlist = new
        version += 1
        updateTime = resources.root.now
        unchangedReloads = isNew ? 0 : unchangedReloads + 1
        // After an unchanged reload the client waits half the target duration (RFC 8216, section 6.3.4).
        let interval = Self.nanoseconds(new.targetDuration)
        reloadTime = resources.root.now + (isNew ? interval : interval / 2)
    }

    /// Continues the discontinuity sequence numbers of the older version. Servers that remove an
    /// `EXT-X-DISCONTINUITY` and declare no `EXT-X-DISCONTINUITY-SEQUENCE` would begin with 0 again.
    private static func alignDiscontinuities(of new: inout MediaPlaylist, with old: MediaPlaylist) {
        guard let first = new.segments.first, let oldFirst = old.segments.first,
            let position = Int(exactly: first.sequence.subtractingClamped(oldFirst.sequence)),
            old.segments.indices.contains(position)
        else { return }
        let offset = old.segments[position].discontinuity &- first.discontinuity
        guard offset != 0 else { return }
        for index in new.segments.indices { new.segments[index].discontinuity &+= offset }
    }

    /// Returns the duration of the segments between two versions of the playlist that were in neither of them, in
    /// microseconds: by the dates, or else a target duration for each.
    private static func gap(between old: MediaPlaylist, and new: MediaPlaylist) -> Int64 {
        guard let last = old.segments.last, let next = new.segments.first else { return 0 }
        let count = next.sequence.subtractingClamped(last.sequence) - 1
        guard count > 0 else { return 0 }
        let limit = count.multipliedReportingOverflow(by: new.targetDuration)
        let estimate = limit.overflow ? .max : limit.partialValue
        // A playlist may date only its first segment.
        guard let before = old.dates.last, let after = new.dates.first else { return estimate }
        let length = (before.timeRange.end - before.timeRange.start).microseconds
        let end = (before.nanosecondsSince1970 / 1000).addingClamped(length)
        return min(max(0, (after.nanosecondsSince1970 / 1000).subtractingClamped(end)), estimate)
    }

    /// Records when the new segments appeared.
    private mutating func noteArrivals(in new: MediaPlaylist, after last: Int64?) {
        guard let first = new.segments.first else { return }
        if let arrived = new.segments.first(where: { segment in last.map { segment.sequence > $0 } ?? true })
        {
            arrivals.append((arrived.sequence, resources.root.now))
        }
        // The arrival times of removed segments are not needed any more.
        if let position = arrivals.lastIndex(where: { $0.sequence <= first.sequence }) {
            arrivals.removeFirst(position)
        }
    }

    /// Converts a duration that the server controls from microseconds to nanoseconds. It is clamped to the range from
    /// 100 milliseconds to one hour.
    private static func nanoseconds(_ microseconds: Int64) -> Int64 {
        min(max(microseconds, 100_000), 3_600_000_000) * 1000
    }
}
