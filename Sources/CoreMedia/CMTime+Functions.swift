// The names are those of the C functions and constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import MediaCore

/// Creates a time of `value / timescale` seconds; invalid if the timescale is not positive.
///
/// - Parameters:
///   - value: The number of ticks.
///   - timescale: The ticks per second.
/// - Returns: The time.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime {
    CMTime(value: value, timescale: timescale)
}

/// Creates a time with an epoch; invalid if the timescale is not positive.
///
/// - Parameters:
///   - value: The number of ticks.
///   - timescale: The ticks per second.
///   - epoch: The epoch.
/// - Returns: The time.
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
    var time = CMTime(value: value, timescale: timescale)
    if time.isNumeric { time.epoch = epoch }
    return time
}

/// Creates the time nearest to a number of seconds.
///
/// If the ticks do not fit, the timescale is halved repeatedly; a time that still does not fit is infinite. The result
/// is marked as rounded unless its `seconds` equal the argument.
///
/// - Parameters:
///   - seconds: The time in seconds. The result is invalid if it is NaN.
///   - preferredTimescale: The ticks per second. The result is invalid if it is not positive.
/// - Returns: The time.
public func CMTimeMakeWithSeconds(_ seconds: Float64, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// Returns `CMTime.seconds`.
///
/// - Parameter time: The time.
/// - Returns: The time in seconds: NaN if it is invalid or indefinite, and infinite if it is an infinity.
public func CMTimeGetSeconds(_ time: CMTime) -> Float64 { time.seconds }

/// Returns the time in ticks of another timescale.
///
/// - Parameters:
///   - time: The time.
///   - newTimescale: The ticks per second of the result.
///   - method: The direction of rounding.
/// - Returns: The converted time with the same epoch. It is infinite if the ticks do not fit, and invalid if the
///   timescale is not positive. A time that is not numeric is returned unchanged.
public func CMTimeConvertScale(_ time: CMTime, timescale newTimescale: Int32, method: CMTimeRoundingMethod)
    -> CMTime
{ time.convertScale(newTimescale, method: method) }

/// Returns the sum of two times.
///
/// The result has the common timescale, or the least common multiple of both, limited to the greatest timescale; a
/// value that does not fit is rounded. A sum with an invalid time is invalid; the sum of opposite infinities is
/// invalid; an infinity plus any other time is that infinity; an indefinite time plus a number is indefinite. Numeric
/// times of different epochs other than 0 have no sum; those of the same epoch other than 0 have a sum of epoch 0.
///
/// - Parameters:
///   - lhs: The first time.
///   - rhs: The second time.
/// - Returns: The sum.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime {
    guard lhs.isNumeric, rhs.isNumeric else { return CMTime(MediaTime(lhs) + MediaTime(rhs)) }
    guard let epoch = commonEpoch(lhs, rhs) else { return .invalid }
    return CMTime(MediaTime(lhs) + MediaTime(rhs), like: lhs, rhs, epoch: epoch)
}

/// Returns the difference of two times; see `CMTimeAdd(_:_:)`.
///
/// - Parameters:
///   - lhs: The time to subtract from.
///   - rhs: The time to subtract.
/// - Returns: The difference.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime {
    guard lhs.isNumeric, rhs.isNumeric else { return CMTime(MediaTime(lhs) - MediaTime(rhs)) }
    guard let epoch = commonEpoch(lhs, rhs) else { return .invalid }
    return CMTime(MediaTime(lhs) - MediaTime(rhs), like: lhs, rhs, epoch: epoch)
}

/// Returns the epoch of a sum, or nil if there is none.
private func commonEpoch(_ lhs: CMTime, _ rhs: CMTime) -> CMTimeEpoch? {
    if lhs.epoch == rhs.epoch { return 0 }
    if lhs.epoch == 0 { return rhs.epoch }
    return rhs.epoch == 0 ? lhs.epoch : nil
}

/// Returns a multiple of a time.
///
/// - Parameters:
///   - time: The time.
///   - multiplier: The factor.
/// - Returns: The product. An infinity takes the sign of the product, and is invalid if multiplied by 0.
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
    CMTime(MediaTime(time) * Int(multiplier), like: time)
}

/// Returns a multiple of a time. The result has a timescale of at least 65,536.
///
/// - Parameters:
///   - time: The time.
///   - multiplier: The factor.
/// - Returns: The product.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Float64) -> CMTime {
    CMTime(MediaTime(time) * multiplier, like: time)
}

/// Returns a time multiplied by a fraction: exact if possible.
///
/// - Parameters:
///   - time: The time.
///   - multiplier: The numerator.
///   - divisor: The denominator. If it is 0, the result is infinite, or invalid if the product is 0.
/// - Returns: The product.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
    CMTime(MediaTime(time).multiplied(by: Int64(multiplier), over: Int64(divisor)), like: time)
}

/// Compares two times: negative infinity, numbers, indefinite, positive infinity, invalid. Of two numbers, the one
/// with the higher epoch is the later one.
///
/// - Parameters:
///   - time1: The first time.
///   - time2: The second time.
/// - Returns: -1 if the first time is earlier, 1 if it is later, 0 if they are equal.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 {
    let (first, second) = (MediaTime(time1), MediaTime(time2))
    if first.isNumeric, second.isNumeric, time1.epoch != time2.epoch {
        return time1.epoch < time2.epoch ? -1 : 1
    }
    return first == second ? 0 : first < second ? -1 : 1
}

/// Returns the earlier of two times.
///
/// - Parameters:
///   - time1: The first time.
///   - time2: The second time.
/// - Returns: The earlier time.
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
    CMTimeCompare(time1, time2) <= 0 ? time1 : time2
}

/// Returns the later of two times.
///
/// - Parameters:
///   - time1: The first time.
///   - time2: The second time.
/// - Returns: The later time.
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
    CMTimeCompare(time1, time2) >= 0 ? time1 : time2
}

/// Returns the distance of a time from zero.
///
/// - Parameter time: The time.
/// - Returns: The time without its sign.
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime { CMTime(MediaTime(time).magnitude, like: time) }

/// Returns `CMTime.isValid`.
///
/// - Parameter time: The time.
/// - Returns: True for all times except invalid ones.
public func CMTIME_IS_VALID(_ time: CMTime) -> Bool { time.isValid }
/// Returns whether a time is invalid.
///
/// - Parameter time: The time.
/// - Returns: True for invalid times.
public func CMTIME_IS_INVALID(_ time: CMTime) -> Bool { !time.isValid }
/// Returns `CMTime.isNumeric`.
///
/// - Parameter time: The time.
/// - Returns: True for numbers.
public func CMTIME_IS_NUMERIC(_ time: CMTime) -> Bool { time.isNumeric }
/// Returns `CMTime.isIndefinite`.
///
/// - Parameter time: The time.
/// - Returns: True for times that are not known.
public func CMTIME_IS_INDEFINITE(_ time: CMTime) -> Bool { time.isIndefinite }
/// Returns `CMTime.isPositiveInfinity`.
///
/// - Parameter time: The time.
/// - Returns: True for positive infinity.
public func CMTIME_IS_POSITIVE_INFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }
/// Returns `CMTime.isNegativeInfinity`.
///
/// - Parameter time: The time.
/// - Returns: True for negative infinity.
public func CMTIME_IS_NEGATIVE_INFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }
/// Returns `CMTime.hasBeenRounded`.
///
/// - Parameter time: The time.
/// - Returns: True for numbers that were rounded.
public func CMTIME_HAS_BEEN_ROUNDED(_ time: CMTime) -> Bool { time.hasBeenRounded }
