import FoundationEssentials
import PlayheadCore

/// One playback of an input.
struct InputPlayback: Sendable {
    let item: PlayerItem
    let entry: PlaylistEntry
    /// The start in item time, or zero while it is not known.
    private(set) var start: MediaTime
    /// Whether the start is known. A presentation may choose its own when it is opened.
    private(set) var isStartKnown: Bool
    /// The end that `--end` sets in item time, or nil for none.
    let end: MediaTime?
    /// The round of the playlist in which the entry was taken.
    var round = 0
    /// Whether it starts at the position that an earlier session has saved.
    var isResumed = false
    /// Why `--start` has no effect, as the end of a sentence.
    var missingStart: String?
    /// Whether a frame has reached the sinks.
    var hasShown = false
    /// The file, or nil if the input is none.
    let file: OpenedFile?
    /// The subtitles of other files.
    let subtitles = SubtitleFiles()

    /// Creates a playback.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - entry: The entry of the item.
    ///   - start: The start that is requested in item time, or nil for that of the media.
    ///   - end: The end that `--end` sets in item time, or nil for none.
    init(item: PlayerItem, entry: PlaylistEntry, start: MediaTime?, end: MediaTime?) {
        self.item = item
        self.entry = entry
        self.start = start ?? .zero
        isStartKnown = start != nil || !entry.mayChooseStart
        self.end = end
        let url = item.asset.url
        file = url.isFileURL ? OpenedFile(path: url.path) : nil
    }

    /// The part of `--duration` that rounding to nanoseconds may leave. It is shorter than any frame.
    static let roundingTolerance = MediaTime(value: 1, timescale: 1_000_000)

    /// The minimum duration of a pass that is repeated. Repeating shorter passes would never end.
    static let minimumPassDuration = MediaTime(value: 1, timescale: 1000)

    /// Sets the start that the media has chosen.
    mutating func noteStart(_ time: MediaTime) {
        start = time
        isStartKnown = true
    }

    /// Sets the end of the item to `--end` or the remainder of `--duration`, whichever is earlier. While the start is
    /// not known, `--duration` has no effect.
    func limit(to remaining: MediaTime?) {
        let remaining = isStartKnown ? remaining : nil
        guard let limit = [end, remaining.map { start + $0 }].compactMap(\.self).min() else { return }
        // Changing the end reopens the item.
        let old = item.forwardPlaybackEndTime
        let isSame = max(old - limit, limit - old) < Self.roundingTolerance
        if old.isNumeric, isSame || isAfterMedia(min(old, limit)) { return }
        item.forwardPlaybackEndTime = limit
    }

    /// Returns whether a time is certainly after the end of the media, which may be later than the container declares.
    private func isAfterMedia(_ time: MediaTime) -> Bool {
        guard let media = item.asset.media, !media.durationIsEstimate else { return false }
        return media.duration.isNumeric && time > media.duration + MediaTime(value: 1, timescale: 1)
    }
}

extension PlayerItem {
    /// The expected end of playback. Not numeric while it is unknown.
    var expectedEnd: MediaTime {
        let limit = forwardPlaybackEndTime
        return limit.isNumeric && duration.isNumeric ? min(limit, duration) : duration
    }
}
