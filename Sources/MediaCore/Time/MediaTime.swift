/// A point in time or a duration, as an exact fraction of seconds: `value / timescale`.
///
/// The rules are those of CMTime, except that a time has no epoch: seeks are identified by `Epoch`, and passes of a
/// loop by a frame's `pass`, so two times can always be compared. Arithmetic never traps. A result that does not fit
/// is rounded and marked as rounded; beyond that it becomes an infinity.
public struct MediaTime: Sendable {
    /// The kind of a time. The raw values define the order among kinds (CMTimeCompare).
    enum Kind: UInt8, Sendable {
        case negativeInfinity
        case numeric
        case indefinite
        case positiveInfinity
        case invalid
    }

    /// The number of ticks; 0 unless the time is numeric.
    public let value: Int64
    /// The number of ticks per second: positive if the time is numeric, otherwise 0.
    public let timescale: Int32
    let kind: Kind
    /// A Boolean value that indicates whether this time, or one that it was computed from, was rounded.
    ///
    /// Comparison ignores it. It is always false unless the time is numeric.
    public let hasBeenRounded: Bool

    /// Creates a time of `value / timescale` seconds.
    ///
    /// - Parameters:
    ///   - value: The number of ticks.
    ///   - timescale: Ticks per second. The time is invalid if it is not positive.
    public init(value: Int64, timescale: Int32) {
        self.init(value: value, timescale: timescale, hasBeenRounded: false)
    }

    init(value: Int64, timescale: Int32, hasBeenRounded: Bool) {
        let isNumeric = timescale > 0
        self.value = isNumeric ? value : 0
        self.timescale = isNumeric ? timescale : 0
        self.kind = isNumeric ? .numeric : .invalid
        self.hasBeenRounded = isNumeric && hasBeenRounded
    }

    /// Creates a time that is not numeric.
    private init(_ kind: Kind) {
        self.value = 0
        self.timescale = 0
        self.kind = kind
        self.hasBeenRounded = false
    }

    /// Zero seconds; as a position, the start of the item (kCMTimeZero).
    public static let zero = MediaTime(value: 0, timescale: 1)
    /// A time that is not valid: the result of arithmetic without a meaningful result.
    public static let invalid = MediaTime(.invalid)
    /// A time that is not known yet, such as the duration of a live stream.
    public static let indefinite = MediaTime(.indefinite)
    /// A time later than every numeric time (kCMTimePositiveInfinity).
    public static let positiveInfinity = MediaTime(.positiveInfinity)
    /// A time earlier than every numeric time (kCMTimeNegativeInfinity).
    public static let negativeInfinity = MediaTime(.negativeInfinity)

    static func infinity(isNegative: Bool) -> MediaTime {
        isNegative ? .negativeInfinity : .positiveInfinity
    }

    /// A Boolean value that is true for all times except `.invalid`, including infinite and indefinite ones.
    public var isValid: Bool { kind != .invalid }
    /// A Boolean value that indicates whether the time is not known yet (CMTIME_IS_INDEFINITE).
    public var isIndefinite: Bool { kind == .indefinite }
    /// A Boolean value that indicates whether the time is later than every numeric time.
    public var isPositiveInfinity: Bool { kind == .positiveInfinity }
    /// A Boolean value that indicates whether the time is earlier than every numeric time.
    public var isNegativeInfinity: Bool { kind == .negativeInfinity }
    /// A Boolean value that indicates whether the time is a finite number of seconds.
    public var isNumeric: Bool { timescale > 0 }
}

extension MediaTime: CustomStringConvertible {
    /// A text such as "3.2s (48/15)", "invalid", "indefinite", "+infinity" or "-infinity".
    public var description: String {
        switch kind {
        case .numeric: "\(seconds)s (\(value)/\(timescale))"
        case .invalid: "invalid"
        case .indefinite: "indefinite"
        case .positiveInfinity: "+infinity"
        case .negativeInfinity: "-infinity"
        }
    }
}
