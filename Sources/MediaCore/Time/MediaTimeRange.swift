/// A stretch of time: from `start`, included, to `end`, excluded (CMTimeRange).
public struct MediaTimeRange: Hashable, Sendable {
    /// The first moment of the range.
    public var start: MediaTime
    /// How long it is; below zero the range is not valid.
    public var duration: MediaTime

    /// Any two times are taken; `isValid` says whether they make a range.
    public init(start: MediaTime, duration: MediaTime) {
        self.start = start
        self.duration = duration
    }

    /// Not valid when `end` lies before `start` (CMTimeRangeFromTimeToTime).
    public init(start: MediaTime, end: MediaTime) {
        self.init(start: start, duration: end - start)
    }

    /// Empty, at the item's start (kCMTimeRangeZero).
    public static let zero = MediaTimeRange(start: .zero, duration: .zero)
    /// No range at all (kCMTimeRangeInvalid).
    public static let invalid = MediaTimeRange(start: .invalid, duration: .invalid)

    /// The first moment after the range. Unlike a plain sum this is +infinity also for the range that reaches
    /// from one infinity to the other.
    public var end: MediaTime {
        duration.isPositiveInfinity && start.isValid ? .positiveInfinity : start + duration
    }

    /// Both times are valid, and the duration is not negative.
    public var isValid: Bool { start.isValid && duration.isValid && duration >= .zero }
    /// Valid, and without a single moment.
    public var isEmpty: Bool { isValid && duration == .zero }
    /// A range of which the start or the duration is not known yet (CMTIMERANGE_IS_INDEFINITE).
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
}

extension MediaTimeRange: CustomStringConvertible {
    /// "[1.0s (1/1), 3.2s (48/15))"
    public var description: String { isValid ? "[\(start), \(end))" : "invalid" }
}

extension MediaTimeRange {
    /// `start <= time < end` (CMTimeRangeContainsTime).
    public func contains(_ time: MediaTime) -> Bool {
        isValid && time.isValid && start <= time && time < end
    }

    /// `other` neither begins before nor ends after this range (CMTimeRangeContainsTimeRange). So an empty
    /// range is contained where it touches.
    public func contains(_ other: MediaTimeRange) -> Bool {
        isValid && other.isValid && start <= other.start && other.end <= end
    }

    /// What both have; `.zero` when they are apart, invalid when one is (CMTimeRangeGetIntersection).
    public func intersection(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isValid, other.isValid else { return .invalid }
        let start = max(start, other.start)
        let end = min(end, other.end)
        return start <= end ? MediaTimeRange(start: start, end: end) : .zero
    }

    /// From the earlier start to the later end, gap included; invalid when one is (CMTimeRangeGetUnion).
    public func union(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isValid, other.isValid else { return .invalid }
        return MediaTimeRange(start: min(start, other.start), end: max(end, other.end))
    }

    /// `time` itself inside the range, else `start` or `end`, whichever is nearer; invalid when either is
    /// (CMTimeClampToRange).
    public func clamped(_ time: MediaTime) -> MediaTime {
        guard isValid, time.isValid else { return .invalid }
        return max(start, min(time, end))
    }
}
