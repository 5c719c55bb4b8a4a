// The names are those of the C functions and constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The number of ticks of a time.
public typealias CMTimeValue = Int64
/// The number of ticks per second; positive for a numeric time.
public typealias CMTimeScale = Int32
/// The number that tells apart times of different passes of a loop or of different edits.
public typealias CMTimeEpoch = Int64
/// The identifier of a track.
public typealias CMPersistentTrackID = Int32
/// The identifier of no track.
public let kCMPersistentTrackID_Invalid: CMPersistentTrackID = 0
/// The greatest timescale.
public let kCMTimeMaxTimescale: CMTimeScale = 0x7fff_ffff

/// The kind of a `CMTime`, and whether it was rounded.
public struct CMTimeFlags: OptionSet, Hashable, Sendable, BitwiseCopyable {
    /// The bits of the flags.
    public let rawValue: UInt32
    /// Creates flags from their bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The time is valid.
    public static let valid = CMTimeFlags(rawValue: 1)
    /// The time, or one that it was computed from, was rounded.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 2)
    /// The time is later than every numeric time.
    public static let positiveInfinity = CMTimeFlags(rawValue: 4)
    /// The time is earlier than every numeric time.
    public static let negativeInfinity = CMTimeFlags(rawValue: 8)
    /// The time is not known.
    public static let indefinite = CMTimeFlags(rawValue: 16)
    /// The flags of times that are not numeric.
    public static let impliedValueFlagsMask: CMTimeFlags = [
        .positiveInfinity, .negativeInfinity, .indefinite,
    ]
}

/// The direction in which a time is rounded to whole ticks.
public enum CMTimeRoundingMethod: UInt32, Hashable, Sendable, CaseIterable {
    /// To the nearest tick; a half is rounded away from zero.
    case roundHalfAwayFromZero = 1
    /// Down for positive times, up for negative ones.
    case roundTowardZero = 2
    /// Up for positive times, down for negative ones.
    case roundAwayFromZero = 3
    /// Toward zero for a coarser timescale, and away from zero for a finer one. A negative time never becomes zero.
    case quickTime = 4
    /// To the later tick.
    case roundTowardPositiveInfinity = 5
    /// To the earlier tick.
    case roundTowardNegativeInfinity = 6

    /// Half away from zero.
    public static let `default` = CMTimeRoundingMethod.roundHalfAwayFromZero
}
