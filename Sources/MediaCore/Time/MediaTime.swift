/// A point in time, or a length of it, as an exact fraction of seconds: `value / timescale`.
///
/// The rules are those of CMTime (its header's comments), less the epoch: which pass or which seek a time
/// belongs to is said by `Epoch` and by a frame's `pass`, so times here always compare. Nothing traps: what
/// does not fit is rounded and marked, then becomes an infinity.
public struct MediaTime: Sendable {
    /// What kind of time this is; the raw values are the order among kinds (CMTimeCompare).
    enum Kind: UInt8, Sendable {
        case negativeInfinity
        case numeric
        case indefinite
        case positiveInfinity
        case invalid
    }

    /// Ticks; 0 unless numeric.
    public let value: Int64
    /// Ticks per second: positive exactly when the time is numeric, else 0.
    public let timescale: Int32
    let kind: Kind
    /// The time is not exactly what was asked for, or was computed from one that was not. Ignored by
    /// comparison. Always false unless numeric.
    public let hasBeenRounded: Bool

    /// `value / timescale` seconds; invalid when `timescale` is not positive.
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

    /// A time without a number.
    private init(_ kind: Kind) {
        self.value = 0
        self.timescale = 0
        self.kind = kind
        self.hasBeenRounded = false
    }

    /// No time at all has passed: the item's start (kCMTimeZero).
    public static let zero = MediaTime(value: 0, timescale: 1)
    /// No time at all: what comes of nonsense, and of calculating with it.
    public static let invalid = MediaTime(.invalid)
    /// A time that nobody knows yet, such as the duration of a live stream.
    public static let indefinite = MediaTime(.indefinite)
    /// Later than every other time (kCMTimePositiveInfinity).
    public static let positiveInfinity = MediaTime(.positiveInfinity)
    /// Earlier than every other time (kCMTimeNegativeInfinity).
    public static let negativeInfinity = MediaTime(.negativeInfinity)

    static func infinity(isNegative: Bool) -> MediaTime {
        isNegative ? .negativeInfinity : .positiveInfinity
    }

    /// True for all but `.invalid`, so also for infinite and indefinite times.
    public var isValid: Bool { kind != .invalid }
    /// Whether nobody knows the time yet (CMTIME_IS_INDEFINITE).
    public var isIndefinite: Bool { kind == .indefinite }
    /// Later than every time that is a number.
    public var isPositiveInfinity: Bool { kind == .positiveInfinity }
    /// Earlier than every time that is a number.
    public var isNegativeInfinity: Bool { kind == .negativeInfinity }
    /// A finite number of seconds.
    public var isNumeric: Bool { timescale > 0 }
}

extension MediaTime: CustomStringConvertible {
    /// "3.2s (48/15)", "invalid", "indefinite", "+infinity" or "-infinity".
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
