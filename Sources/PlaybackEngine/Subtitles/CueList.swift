import MediaCore

/// The cues of one track that have been read, in order of their start times.
struct CueList {
    struct Entry: Hashable {
        var cue: TextCue
        /// The time range of the cue. An end of `distantFuture` means that nothing has ended the cue yet.
        var start, end: ItemTime
        /// Whether the cue is drawn, but not delivered as text: it has none, or that of another cue at the same time
        /// in another style.
        var isDrawnOnly = false

        /// The properties of a cue that do not change when its end becomes known.
        struct Identity: Hashable {
            let start: ItemTime
            let text: String
            let values: [String: String]
            let drawing: CueDrawing?

            /// Hashes no drawing, which may be large.
            func hash(into hasher: inout Hasher) {
                hasher.combine(start)
                hasher.combine(text)
            }
        }

        var identity: Identity {
            Identity(start: start, text: cue.text, values: cue.values, drawing: cue.drawing)
        }

        /// Whether both are the same cue, whose end may have become known.
        func isSame(as other: Entry) -> Bool { identity == other.identity }
    }

    /// The properties of a cue that are compared before its drawing.
    private struct Content: Hashable {
        let start: ItemTime
        let text: String
        let values: [String: String]
    }

    private(set) var entries: [Entry] = []
    /// A number that changes whenever `entries` may have changed.
    private(set) var revision = 0
    /// The drawings of the cues in the list, by content. Many cues may begin at the same time.
    private var drawings: [Content: [CueDrawing?]] = [:]
    private var longestDuration: Int64 = 0
    private var bytes = 0
    private var drawingBytes = 0
    /// The byte limit. Subtitles of a whole day need less; larger input is rejected.
    static let byteLimit = 8 << 20
    /// The byte limit of what is drawn only: a minute of bitmaps that cover a tenth of an HD frame each second.
    private static let drawingByteLimit = 32 << 20

    /// Inserts a cue, unless it is already in the list. Returns false if it does not fit.
    mutating func insert(_ cue: TextCue) -> Bool {
        guard let start = ItemTime(cue.timeRange.start) else { return true }
        let index = entries.partition { $0.start > start }
        let content = Content(start: start, text: cue.text, values: cue.values)
        let known = drawings[content] ?? []
        guard !known.contains(cue.drawing) else { return true }
        guard bytes + Self.size(cue) <= Self.byteLimit,
            drawingBytes + cue.drawingByteCount <= Self.drawingByteLimit
        else { return false }
        bytes += Self.size(cue)
        drawingBytes += cue.drawingByteCount
        var end = ItemTime(cue.timeRange.end) ?? .distantFuture
        // Only a cue of the same track ends a cue of open duration, or a bitmap.
        if end == .distantFuture || cue.isBitmap,
            let next = entries[index...].first(where: { $0.cue.track == cue.track })
        {
            end = min(end, next.start)
        }
        // Another cue of the track at this time has ended those before it.
        let isFirst =
            index == 0 || entries[index - 1].start != start || entries[index - 1].cue.track != cue.track
        let isDrawnOnly = cue.drawing != nil && (cue.text.isEmpty || !known.isEmpty)
        revision += 1
        drawings[content, default: []].append(cue.drawing)
        entries.insert(
            Entry(cue: cue, start: start, end: max(start, end), isDrawnOnly: isDrawnOnly),
            at: index
        )
        if end == .distantFuture {
            entries[index].cue.timeRange.duration = .indefinite
        } else {
            close(index, at: end)
        }
        if isFirst { self.end(track: cue.track, at: start) }
        return true
    }

    private static func size(_ cue: TextCue) -> Int {
        cue.values.reduce(cue.text.utf8.count + 64) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }

    /// Ends the cues of open duration and the bitmaps of a track at `time`.
    ///
    /// Each cue ends those of its track that start before it. So only the ones that share the latest start before
    /// `time` can still be due then, and earlier ones need not be examined, of which a long track has many.
    mutating func end(track: Int, at time: ItemTime) {
        var index = entries.partition { $0.start >= time }
        var latestStart: ItemTime?
        while index > 0 {
            index -= 1
            let entry = entries[index]
            guard entry.cue.track == track else { continue }
            guard entry.start == latestStart ?? entry.start else { break }
            latestStart = entry.start
            if entry.end == .distantFuture || entry.cue.isBitmap && entry.end > time {
                close(index, at: time)
            }
        }
    }

    private mutating func close(_ index: Int, at end: ItemTime) {
        revision += 1
        entries[index].end = end
        longestDuration = max(longestDuration, end - entries[index].start)
        if !entries[index].cue.timeRange.duration.isNumeric || entries[index].cue.isBitmap {
            entries[index].cue.timeRange.duration = MediaTime(nanoseconds: end - entries[index].start)
        }
    }

    /// Removes the cues that end before `time`.
    mutating func drop(before time: ItemTime) { remove(where: { $0.end < time }) }

    /// Removes the cues of a track that begin after `time`.
    mutating func drop(after time: ItemTime, track: Int) {
        remove(where: { $0.start > time && $0.cue.track == track })
    }

    private mutating func remove(where isRemoved: (Entry) -> Bool) {
        revision += 1
        entries.removeAll { entry in
            guard isRemoved(entry) else { return false }
            bytes -= Self.size(entry.cue)
            drawingBytes -= entry.cue.drawingByteCount
            let content = Content(start: entry.start, text: entry.cue.text, values: entry.cue.values)
            let rest = (drawings[content] ?? []).filter { $0 != entry.cue.drawing }
            drawings[content] = rest.isEmpty ? nil : rest
            return true
        }
    }

    /// Returns the cues that are due at any time from `first` to `last`, inclusive.
    func due(from first: ItemTime, to last: ItemTime) -> [Entry] {
        var index = entries.partition { $0.start > last }
        var found: [Entry] = []
        while index > 0,
            entries[index - 1].start >= first - longestDuration || entries[index - 1].end == .distantFuture
        {
            index -= 1
            if entries[index].end > first { found.append(entries[index]) }
        }
        return found.reversed()
    }

    /// Returns the cues that begin after `first`, and not after `last`.
    func starting(after first: ItemTime, through last: ItemTime) -> ArraySlice<Entry> {
        entries[entries.partition { $0.start > first }..<entries.partition { $0.start > last }]
    }

    /// Returns the start of the next cue after `time`; in reverse, the end of the last cue before it. Returns
    /// nil if there is none.
    func next(after time: ItemTime, isReverse: Bool) -> ItemTime? {
        if isReverse { return entries.lazy.map { $0.end - 1 }.filter { $0 < time }.max() }
        let index = entries.partition { $0.start > time }
        return index < entries.count ? entries[index].start : nil
    }
}

extension [CueList.Entry] {
    /// Returns the first index from which on all elements satisfy a predicate.
    fileprivate func partition(_ isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
