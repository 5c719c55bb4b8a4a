import MediaCore

/// The part of an asset that is read.
struct ReadBounds {
    /// The first moment, or nil for the start of the asset.
    private(set) var start: MediaTime?
    /// The first moment after the part, or nil for the end of the asset.
    private(set) var end: MediaTime?

    /// Creates the bounds of the whole asset.
    init() {}

    /// Creates the bounds of a range, or of the whole asset if it is nil. A part before the start of the asset is cut
    /// off, and a range with an infinite or indefinite duration ends with the asset. Returns nil if the range is not
    /// valid.
    init?(_ range: MediaTimeRange?) {
        guard let range else { return }
        guard range.isValid, range.start.isNumeric || range.start.isNegativeInfinity else { return nil }
        start = max(.zero, range.start)
        end = range.end.isNumeric ? Self.end(of: range) : nil
        // A range from the start of time has an end only if it is infinite.
        if range.start.isNegativeInfinity, !range.end.isPositiveInfinity { return nil }
    }

    /// Returns the end of a range, rounded down if it has no timescale. If it was rounded up, the frame at the exact end
    /// would belong to the range.
    private static func end(of range: MediaTimeRange) -> MediaTime {
        guard range.end.hasBeenRounded else { return range.end }
        let start = range.start.rescaled(to: 1_000_000_000, rounding: .roundTowardNegativeInfinity)
        let end = start + range.duration.rescaled(to: 1_000_000_000, rounding: .roundTowardNegativeInfinity)
        return end.isNumeric ? end : range.end
    }

    /// Whether nothing lies between the bounds.
    var isEmpty: Bool {
        guard let end else { return false }
        return end <= start ?? .zero
    }

    /// The length in nanoseconds, or nil if it is not known before the asset is open.
    var length: Int64? { end.flatMap { ($0 - (start ?? .zero)).nanoseconds } }
}
