import MediaCore

/// The cues of one track that have been read, in order, and how much of the item they stand for.
struct CueList {
    struct Entry: Hashable {
        var cue: TextCue
        /// `distantFuture` as an end: nothing has ended the cue yet.
        var start, end: ItemTime
    }

    private(set) var entries: [Entry] = []
    private var longestDuration: Int64 = 0
    private var bytes = 0
    /// A track of words for a whole day is less; what claims more is held off.
    static let byteLimit = 8 << 20

    /// Twice the same is once. False: there is no room.
    mutating func insert(_ cue: TextCue) -> Bool {
        guard let start = ItemTime(cue.timeRange.start) else { return true }
        let index = entries.partition { $0.start > start }
        guard
            !entries[..<index].reversed().prefix(while: { $0.start == start }).contains(where: {
                $0.cue.text == cue.text && $0.cue.values == cue.values
            })
        else { return true }
        guard bytes + Self.size(cue) <= Self.byteLimit else { return false }
        bytes += Self.size(cue)
        var end = ItemTime(cue.timeRange.end) ?? .distantFuture
        // Only words of the same track end each other.
        if end == .distantFuture, let next = entries[index...].first(where: { $0.cue.track == cue.track }) {
            end = next.start
        }
        entries.insert(Entry(cue: cue, start: start, end: max(start, end)), at: index)
        if end == .distantFuture {
            entries[index].cue.timeRange.duration = .indefinite
        } else {
            close(index, at: end)
        }
        self.end(track: cue.track, at: start)
        return true
    }

    private static func size(_ cue: TextCue) -> Int {
        cue.values.reduce(cue.text.utf8.count + 64) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }

    /// What was to last until the next cue of the track is over at `time`.
    mutating func end(track: Int, at time: ItemTime) {
        for index in entries.indices
        where entries[index].end == .distantFuture && entries[index].start < time
            && entries[index].cue.track == track
        {
            close(index, at: time)
        }
    }

    private mutating func close(_ index: Int, at end: ItemTime) {
        entries[index].end = end
        longestDuration = max(longestDuration, end - entries[index].start)
        if !entries[index].cue.timeRange.duration.isNumeric {
            entries[index].cue.timeRange.duration = MediaTime(nanoseconds: end - entries[index].start)
        }
    }

    /// Forgets what is over by `time`.
    mutating func drop(before time: ItemTime) {
        entries.removeAll { entry in
            guard entry.end < time else { return false }
            bytes -= Self.size(entry.cue)
            return true
        }
    }

    /// Those that are due at some moment from `first` to `last`, both included.
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

    /// When the next cue begins, behind `time`; backward: ends, before it.
    func next(after time: ItemTime, isReverse: Bool) -> ItemTime? {
        if isReverse { return entries.lazy.map { $0.end - 1 }.filter { $0 < time }.max() }
        let index = entries.partition { $0.start > time }
        return index < entries.count ? entries[index].start : nil
    }
}

extension [CueList.Entry] {
    /// The first index that fulfils what all behind it fulfil too.
    fileprivate func partition(_ isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
