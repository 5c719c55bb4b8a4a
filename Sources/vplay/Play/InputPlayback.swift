import FoundationEssentials
import PlayheadCore

/// One playback of an input.
struct InputPlayback: Sendable {
    let item: PlayerItem
    let entry: PlaylistEntry
    /// The start in item time.
    let start: MediaTime
    /// The end that `--end` sets in item time, or nil for none.
    let end: MediaTime?
    /// Whether it starts at the position that an earlier session has saved.
    var isResumed = false
    /// Why `--start` has no effect, as the end of a sentence.
    var missingStart: String?
    /// Whether a frame has reached the sinks.
    var hasShown = false
    /// The file, or nil if the input is none.
    let file: OpenedFile?

    init(item: PlayerItem, entry: PlaylistEntry, start: MediaTime, end: MediaTime?) {
        self.item = item
        self.entry = entry
        self.start = start
        self.end = end
        let url = item.asset.url
        file = url.isFileURL ? OpenedFile(path: url.path) : nil
    }

    /// The part of `--duration` that rounding to nanoseconds may leave. It is shorter than any frame.
    static let roundingTolerance = MediaTime(value: 1, timescale: 1_000_000)

    /// The minimum duration of a pass that is repeated. Repeating shorter passes would never end.
    static let minimumPassDuration = MediaTime(value: 1, timescale: 1000)

    /// Sets the end of the item to `--end` or the remainder of `--duration`, whichever is earlier.
    func limit(to remaining: MediaTime?) {
        guard let limit = [end, remaining.map { start + $0 }].compactMap(\.self).min() else { return }
        // Changing the end reopens the item.
        let old = item.forwardPlaybackEndTime
        if old.isNumeric, max(old - limit, limit - old) < Self.roundingTolerance { return }
        item.forwardPlaybackEndTime = limit
    }
}

extension PlayerItem {
    /// The expected end of playback. Not numeric while it is unknown.
    var expectedEnd: MediaTime {
        let limit = forwardPlaybackEndTime
        return limit.isNumeric && duration.isNumeric ? min(limit, duration) : duration
    }
}
