/// A range of time from `start`, included, to `end`, excluded (CMTimeRange).
public struct MediaTimeRange: Hashable, Sendable {
    /// The first moment of the range.
    public var start: MediaTime
    /// The length of the range. A range with a negative duration is not valid.
    public var duration: MediaTime

    /// Creates a range from its start and duration.
    ///
    /// - Parameters:
    ///   - start: The first moment.
    ///   - duration: The length. Any two times are accepted; `isValid` reports whether they form a range.
    public init(start: MediaTime, duration: MediaTime) {
        self.start = start
        self.duration = duration
    }

    /// Creates a range from its start and end (CMTimeRangeFromTimeToTime).
    ///
    /// - Parameters:
    ///   - start: The first moment.
    ///   - end: The first moment after the range. The range is not valid if it precedes `start`.
    public init(start: MediaTime, end: MediaTime) {
        self.init(start: start, duration: end - start)
    }

    /// An empty range at the start of the item (kCMTimeRangeZero).
    public static let zero = MediaTimeRange(start: .zero, duration: .zero)
    /// A range that is not valid (kCMTimeRangeInvalid).
    public static let invalid = MediaTimeRange(start: .invalid, duration: .invalid)

    /// The first moment after the range.
    ///
    /// Unlike a plain sum, it is +infinity for the range from one infinity to the other.
    public var end: MediaTime {
        duration.isPositiveInfinity && start.isValid ? .positiveInfinity : start + duration
    }

    /// A Boolean value that indicates whether both times are valid and the duration is not negative.
    public var isValid: Bool { start.isValid && duration.isValid && duration >= .zero }
    /// A Boolean value that indicates whether the range is valid and has no duration.
    public var isEmpty: Bool { isValid && duration == .zero }
    /// A Boolean value that indicates whether the start or the duration is not known yet (CMTIMERANGE_IS_INDEFINITE).
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
}

extension MediaTimeRange: CustomStringConvertible {
    /// A text such as "[1.0s (1/1), 3.2s (48/15))".
    public var description: String { isValid ? "[\(start), \(end))" : "invalid" }
}

extension MediaTimeRange {
    /// Returns whether `start <= time < end` (CMTimeRangeContainsTime).
    public func contains(_ time: MediaTime) -> Bool {
        isValid && time.isValid && start <= time && time < end
    }

    /// Returns whether `other` neither starts before nor ends after this range (CMTimeRangeContainsTimeRange). An
    /// empty range at either boundary is contained.
    public func contains(_ other: MediaTimeRange) -> Bool {
        isValid && other.isValid && start <= other.start && other.end <= end
    }

    /// Returns the part that both ranges have in common (CMTimeRangeGetIntersection).
    ///
    /// - Parameter other: The other range.
    /// - Returns: The common part; `.zero` if the ranges are disjoint, and `.invalid` if either is not valid.
    public func intersection(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isValid, other.isValid else { return .invalid }
        let start = max(start, other.start)
        let end = min(end, other.end)
        return start <= end ? MediaTimeRange(start: start, end: end) : .zero
    }

    /// Returns the range from the earlier start to the later end, including any gap (CMTimeRangeGetUnion).
    ///
    /// - Parameter other: The other range.
    /// - Returns: The union; `.invalid` if either range is not valid.
    public func union(_ other: MediaTimeRange) -> MediaTimeRange {
        guard isValid, other.isValid else { return .invalid }
        return MediaTimeRange(start: min(start, other.start), end: max(end, other.end))
    }

    /// Returns `time` clamped to the range (CMTimeClampToRange).
    ///
    /// - Parameter time: The time to clamp.
    /// - Returns: `time` if it is inside the range; otherwise `start` or `end`, whichever is nearer. `.invalid` if
    ///   the range or `time` is not valid.
    public func clamped(_ time: MediaTime) -> MediaTime {
        guard isValid, time.isValid else { return .invalid }
        return max(start, min(time, end))
    }
}
