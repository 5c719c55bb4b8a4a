import MediaCore

/// Where an item that is opened a second time takes the place of the first one while that plays.
struct SwitchPoint {
    /// Nanoseconds of item time between what is delivered and the place.
    private let lead: Int64
    /// See `MediaDescription.segmentStarts`.
    private let segmentStarts: [Int64]
    private let duration: ItemTime
    /// The old packets reach so far.
    private let readUntil: ItemTime

    /// Nanoseconds: time enough to open a file, and to fetch the beginning of a segment.
    static func lead(isLocal: Bool) -> Int64 { isLocal ? 250_000_000 : 1_000_000_000 }
    /// Who is late takes twice the lead. From this one on it takes over all the same.
    static let maximumLead: Int64 = 16_000_000_000
    /// So much of the old item is at hand in any case, for the new one may be late.
    static let minimumReadAhead: Int64 = 1_000_000_000
    /// How far into a segment the place lies: decoders of sound need so much before the first sample that is heard.
    private static let preroll: Int64 = 250_000_000
    /// A segment that begins later than this is not waited for.
    private static let maximumWait: Int64 = 10_000_000_000

    /// `lead` at rate 1.
    init(lead: Int64, rate: Float, _ description: MediaDescription, readUntil: ItemTime) {
        self.readUntil = readUntil
        self.lead = Int64(Double(lead) * Double(max(1, min(rate, 32))))
        segmentStarts = description.segmentStarts
        duration = ItemTime(description.duration) ?? .distantFuture
    }

    /// The place for what is delivered up to a time: near the beginning of a segment where one begins soon, so that none is
    /// fetched of which only the end would be played. Not where the old packets may not last until then.
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
