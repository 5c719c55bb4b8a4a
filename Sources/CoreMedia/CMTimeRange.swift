package import MediaCore

/// A range of time from `start`, included, to `end`, excluded.
public struct CMTimeRange: Hashable, Sendable, BitwiseCopyable {
    /// The first moment of the range.
    public var start: CMTime
    /// The length of the range, of epoch 0. A range with a negative duration is not valid.
    public var duration: CMTime

    /// Creates an invalid range.
    public init() { self.init(start: .invalid, duration: .invalid) }

    /// Creates a range from its start and duration.
    ///
    /// - Parameters:
    ///   - start: The first moment.
    ///   - duration: The length.
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// Creates a range from its start and end.
    ///
    /// - Parameters:
    ///   - start: The first moment.
    ///   - end: The first moment after the range.
    public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

    /// An empty range at zero.
    public static let zero = CMTimeRange(start: .zero, duration: .zero)
    /// A range that is not valid.
    public static let invalid = CMTimeRange()

    /// The first moment after the range.
    public var end: CMTime {
        duration.isPositiveInfinity && start.isValid ? .positiveInfinity : start + duration
    }

    /// A Boolean value that indicates whether both times are valid, and the duration has epoch 0 and is not negative.
    public var isValid: Bool {
        start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero
    }
    /// A Boolean value that indicates whether the start or the duration is not known.
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
    /// A Boolean value that indicates whether the range is valid and has no duration.
    public var isEmpty: Bool { isValid && duration == .zero }

    /// Returns whether `start <= time < end`.
    ///
    /// - Parameter time: The time.
    /// - Returns: True if the range contains the time.
    public func containsTime(_ time: CMTime) -> Bool {
        isValid && time.isValid && start <= time && time < end
    }

    /// Returns whether another range neither starts before nor ends after this range.
    ///
    /// - Parameter range: The other range.
    /// - Returns: True if this range contains the other one.
    public func containsTimeRange(_ range: CMTimeRange) -> Bool {
        isValid && range.isValid && start <= range.start && range.end <= end
    }

    /// Returns the part that both ranges have in common.
    ///
    /// - Parameter otherRange: The other range.
    /// - Returns: The common part; `.zero` if the ranges are disjoint, `.invalid` if either is not valid.
    public func intersection(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard isValid, otherRange.isValid else { return .invalid }
        let first = CMTimeMaximum(start, otherRange.start)
        let last = CMTimeMinimum(end, otherRange.end)
        return first <= last ? CMTimeRange(start: first, end: last) : .zero
    }

    /// Returns the range from the earlier start to the later end.
    ///
    /// - Parameter otherRange: The other range.
    /// - Returns: The union; `.invalid` if either range is not valid.
    public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard isValid, otherRange.isValid else { return .invalid }
        return CMTimeRange(
            start: CMTimeMinimum(start, otherRange.start),
            end: CMTimeMaximum(end, otherRange.end)
        )
    }
}

extension MediaTimeRange {
    /// Creates the range of the player's API.
    ///
    /// - Parameter range: The range.
    package init(_ range: CMTimeRange) {
        self.init(start: MediaTime(range.start), duration: MediaTime(range.duration))
    }
}

extension CMTimeRange {
    /// Creates a range from the range of the player's API.
    ///
    /// - Parameter range: The range.
    package init(_ range: MediaTimeRange) {
        self.init(start: CMTime(range.start), duration: CMTime(range.duration))
    }
}

extension CMTimeRange: CustomStringConvertible {
    /// A text such as "{{0/1 = 0.000}, {3/2 = 1.500}}".
    public var description: String { isValid ? "{\(start), \(duration)}" : "{INVALID}" }
}
