import Playhead

/// One playing of an input.
struct InputPlayback: Sendable {
    let item: PlayerItem
    /// Which input it is.
    let index: Int
    /// Where it begins, in item time.
    let start: MediaTime
    /// Where `--end` ends it; nil: nowhere.
    let end: MediaTime?
    /// A frame of it has reached the sinks.
    var hasShown = false
    /// The file as it was when it was opened; nil where it is none.
    var file: FileIdentity?

    /// Less than any frame lasts: what rounding to the engine's nanoseconds may leave of `--duration`.
    static let nothing = MediaTime(value: 1, timescale: 1_000_000)

    /// A pass shorter than this is not begun again: going round would never end.
    static let shortestPass = MediaTime(value: 1, timescale: 1000)

    /// `remaining`: what `--duration` leaves for it.
    func limit(to remaining: MediaTime?) {
        guard let limit = [end, remaining.map { start + $0 }].compactMap(\.self).min() else { return }
        // Another end opens the item once more.
        let old = item.forwardPlaybackEndTime
        if old.isNumeric, max(old - limit, limit - old) < Self.nothing { return }
        item.forwardPlaybackEndTime = limit
    }
}

extension PlayerItem {
    /// Where playing should end; not numeric as long as nobody knows.
    var expectedEnd: MediaTime {
        let limit = forwardPlaybackEndTime
        return limit.isNumeric && duration.isNumeric ? min(limit, duration) : duration
    }
}
