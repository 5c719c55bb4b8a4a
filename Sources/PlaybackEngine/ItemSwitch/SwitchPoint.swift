import MediaCore

/// The item time at which an item that is opened a second time replaces the first one during playback.
struct SwitchPoint {
    /// The item time between what has been delivered and the switch point, in nanoseconds.
    private let lead: Int64
    /// The start times of the segments; see `MediaDescription.segmentStarts`.
    private let segmentStarts: [Int64]
    private let duration: ItemTime
    /// The item time up to which the old item has been read.
    private let readUntil: ItemTime

    /// Returns the initial lead in nanoseconds: enough to open a file, or to fetch the beginning of a segment.
    static func lead(isLocal: Bool) -> Int64 { isLocal ? 250_000_000 : 1_000_000_000 }
    /// The maximum lead in nanoseconds. The lead is doubled for an item that is late. With this lead, the item takes
    /// over even if it is late.
    static let maximumLead: Int64 = 16_000_000_000
    /// The minimum duration of the old item that is read ahead, in nanoseconds, because the new item may be late.
    static let minimumReadAhead: Int64 = 1_000_000_000
    /// The distance of the switch point from the start of a segment. Audio decoders need this much before the first
    /// sample that is heard.
    private static let preroll: Int64 = 250_000_000
    /// The maximum time to wait for the start of a segment, in nanoseconds.
    private static let maximumWait: Int64 = 10_000_000_000

    /// Creates a switch point. `lead` applies to a rate of 1.
    init(lead: Int64, rate: Float, _ description: MediaDescription, readUntil: ItemTime) {
        self.readUntil = readUntil
        self.lead = Int64(Double(lead) * Double(max(1, min(rate, 32))))
        segmentStarts = description.segmentStarts
        duration = ItemTime(description.duration) ?? .distantFuture
    }

    /// Returns the switch point for media that have been delivered up to a time.
    ///
    /// It is near the start of a segment if one starts soon, so that no segment is fetched of which only the end
    /// would be played. It is not moved there if the old item may not have been read that far.
    func time(after delivered: ItemTime) -> ItemTime {
        let earliest = delivered + lead
        let first = segmentStarts.first { ItemTime(nanoseconds: $0) + Self.preroll >= earliest }
        guard let first else { return earliest }
        let candidate = ItemTime(nanoseconds: first) + Self.preroll
        let isNear =
            candidate < duration && candidate <= readUntil && candidate - earliest <= Self.maximumWait
        return isNear ? candidate : earliest
    }
}
