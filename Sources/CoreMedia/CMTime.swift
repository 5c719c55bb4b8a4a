package import MediaCore

/// A point in time or a duration of `value / timescale` seconds, or a time that is not numeric.
///
/// All fields may be changed. A numeric time is `[.valid]` with a positive timescale; `isNumeric` does not check the
/// timescale, and arithmetic treats a numeric time whose timescale is not positive as invalid. No operation traps.
public struct CMTime: Sendable, BitwiseCopyable {
    /// The number of ticks.
    public var value: CMTimeValue
    /// The number of ticks per second.
    public var timescale: CMTimeScale
    /// The kind of the time, and whether it was rounded.
    public var flags: CMTimeFlags
    /// Distinguishes times of different passes or edits; 0 for durations. Times of different epochs cannot be added,
    /// and a time of a higher epoch is always later.
    public var epoch: CMTimeEpoch

    /// Creates an invalid time.
    public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

    /// Creates a time from its fields.
    ///
    /// - Parameters:
    ///   - value: The number of ticks.
    ///   - timescale: The ticks per second.
    ///   - flags: The kind of the time.
    ///   - epoch: The epoch.
    public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// Creates a time of `value / timescale` seconds.
    ///
    /// - Parameters:
    ///   - value: The number of ticks.
    ///   - timescale: The ticks per second. The time is invalid if it is not positive.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self = timescale > 0 ? CMTime(value: value, timescale: timescale, flags: .valid, epoch: 0) : .invalid
    }

    /// Creates the time nearest to a number of seconds; see `CMTimeMakeWithSeconds(_:preferredTimescale:)`.
    ///
    /// - Parameters:
    ///   - seconds: The time in seconds.
    ///   - preferredTimescale: The ticks per second.
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        self.init(MediaTime(seconds: seconds, preferredTimescale: preferredTimescale))
    }

    /// Zero seconds.
    public static let zero = CMTime(value: 0, timescale: 1, flags: .valid, epoch: 0)
    /// A time that is not valid.
    public static let invalid = CMTime()
    /// A time that is not known, such as the duration of a live stream.
    public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    /// A time later than every numeric time.
    public static let positiveInfinity =
        CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    /// A time earlier than every numeric time.
    public static let negativeInfinity =
        CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)

    /// A Boolean value that is true for all times except invalid ones.
    public var isValid: Bool { flags.contains(.valid) }
    /// A Boolean value that indicates whether the time is valid and later than every numeric time.
    public var isPositiveInfinity: Bool { isValid && flags.contains(.positiveInfinity) }
    /// A Boolean value that indicates whether the time is valid and earlier than every numeric time.
    public var isNegativeInfinity: Bool { isValid && flags.contains(.negativeInfinity) }
    /// A Boolean value that indicates whether the time is valid and not known.
    public var isIndefinite: Bool { isValid && flags.contains(.indefinite) }
    /// A Boolean value that indicates whether the time is valid and a number of seconds.
    public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) }
    /// A Boolean value that indicates whether the time is numeric and was rounded.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

    /// The time in seconds: NaN if it is invalid or indefinite, and infinite if it is an infinity.
    public var seconds: Double { MediaTime(self).seconds }

    /// Returns the time in ticks of another timescale; see `CMTimeConvertScale(_:timescale:method:)`.
    ///
    /// - Parameters:
    ///   - newTimescale: The ticks per second of the result.
    ///   - method: The direction of rounding.
    /// - Returns: The converted time.
    public func convertScale(_ newTimescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
        let rounding: MediaTime.RoundingMethod =
            switch method {
            case .roundHalfAwayFromZero: .roundHalfAwayFromZero
            case .roundTowardZero: .roundTowardZero
            case .roundAwayFromZero: .roundAwayFromZero
            case .quickTime: .quickTime
            case .roundTowardPositiveInfinity: .roundTowardPositiveInfinity
            case .roundTowardNegativeInfinity: .roundTowardNegativeInfinity
            }
        return CMTime(MediaTime(self).rescaled(to: newTimescale, rounding: rounding), like: self)
    }
}

// MARK: Playhead's times

extension MediaTime {
    /// Creates the time of the player's API. The epoch and the mark of a rounded time are lost.
    ///
    /// - Parameter time: The time. The result is invalid if it is numeric and its timescale is not positive.
    package init(_ time: CMTime) {
        if time.isNumeric {
            self.init(value: time.value, timescale: time.timescale)
        } else if time.isPositiveInfinity {
            self = .positiveInfinity
        } else if time.isNegativeInfinity {
            self = .negativeInfinity
        } else {
            self = time.isIndefinite ? .indefinite : .invalid
        }
    }
}

extension CMTime {
    /// Creates a time of epoch 0 from the time of the player's API.
    ///
    /// - Parameter time: The time.
    package init(_ time: MediaTime) {
        if time.isNumeric {
            let flags: CMTimeFlags = time.hasBeenRounded ? [.valid, .hasBeenRounded] : .valid
            self.init(value: time.value, timescale: time.timescale, flags: flags, epoch: 0)
        } else if time.isPositiveInfinity {
            self = .positiveInfinity
        } else if time.isNegativeInfinity {
            self = .negativeInfinity
        } else {
            self = time.isIndefinite ? .indefinite : .invalid
        }
    }

    /// Creates a result with the epoch of a numeric operand, marked as rounded if an operand was.
    init(_ result: MediaTime, like operands: CMTime..., epoch: CMTimeEpoch? = nil) {
        self.init(result)
        guard isNumeric else { return }
        self.epoch = epoch ?? operands[0].epoch
        if operands.contains(where: \.hasBeenRounded) { flags.insert(.hasBeenRounded) }
    }
}

extension CMTime: Comparable, Hashable {
    /// Returns whether the two are the same point in time, in any timescale; see `CMTimeCompare(_:_:)`.
    public static func == (a: CMTime, b: CMTime) -> Bool { CMTimeCompare(a, b) == 0 }
    /// Returns whether `a` is earlier than `b`; see `CMTimeCompare(_:_:)`.
    public static func < (a: CMTime, b: CMTime) -> Bool { CMTimeCompare(a, b) < 0 }

    /// Hashes the point in time, regardless of the timescale.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        let time = MediaTime(self)
        hasher.combine(time)
        if time.isNumeric { hasher.combine(epoch) }
    }

    /// Returns the sum; see `CMTimeAdd(_:_:)`.
    public static func + (a: CMTime, b: CMTime) -> CMTime { CMTimeAdd(a, b) }
    /// Returns the difference; see `CMTimeSubtract(_:_:)`.
    public static func - (a: CMTime, b: CMTime) -> CMTime { CMTimeSubtract(a, b) }
}

extension CMTime: CustomStringConvertible {
    /// A text such as "{3/2 = 1.500}", "{INVALID}", "{INDEFINITE}", "{+INFINITY}" or "{-INFINITY}".
    public var description: String {
        guard isValid else { return "{INVALID}" }
        if isPositiveInfinity { return "{+INFINITY}" }
        if isNegativeInfinity { return "{-INFINITY}" }
        if isIndefinite { return "{INDEFINITE}" }
        let thousandths = CMTimeConvertScale(self, timescale: 1000, method: .default)
        guard thousandths.isNumeric else { return "{\(value)/\(timescale)}" }
        let digits = String(thousandths.value.magnitude)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let sign = thousandths.value < 0 ? "-" : ""
        let mark = hasBeenRounded ? ", rounded" : ""
        return "{\(value)/\(timescale) = \(sign)\(padded.dropLast(3)).\(padded.suffix(3))\(mark)}"
    }
}
