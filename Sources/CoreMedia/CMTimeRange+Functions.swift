// The names are those of the C functions and constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import MediaCore

/// Creates a range from its start and duration.
///
/// - Parameters:
///   - start: The first moment.
///   - duration: The length.
/// - Returns: The range.
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    CMTimeRange(start: start, duration: duration)
}

/// Creates a range from its start and end.
///
/// - Parameters:
///   - start: The first moment.
///   - end: The first moment after the range.
/// - Returns: The range.
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange {
    CMTimeRange(start: start, end: end)
}

/// Returns `CMTimeRange.end`.
///
/// - Parameter range: The range.
/// - Returns: The first moment after the range.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

/// Returns `CMTimeRange.union(_:)`.
///
/// - Parameters:
///   - range: The first range.
///   - otherRange: The second range.
/// - Returns: The union.
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.union(otherRange)
}

/// Returns `CMTimeRange.intersection(_:)`.
///
/// - Parameters:
///   - range: The first range.
///   - otherRange: The second range.
/// - Returns: The common part.
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.intersection(otherRange)
}

/// Returns whether two ranges have equal starts and durations.
///
/// - Parameters:
///   - range1: The first range.
///   - range2: The second range.
/// - Returns: True if they are equal.
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }

/// Returns `CMTimeRange.containsTime(_:)`.
///
/// - Parameters:
///   - range: The range.
///   - time: The time.
/// - Returns: True if the range contains the time.
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }

/// Returns `CMTimeRange.containsTimeRange(_:)`.
///
/// - Parameters:
///   - range: The range.
///   - otherRange: The other range.
/// - Returns: True if the first range contains the other one.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
    range.containsTimeRange(otherRange)
}

/// Returns the time clamped to a range.
///
/// - Parameters:
///   - time: The time.
///   - range: The range.
/// - Returns: The time if it is inside the range, otherwise the start or the end; `.invalid` if the range is empty, or
///   if either is not valid.
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
    guard range.isValid, !range.isEmpty, time.isValid else { return .invalid }
    return CMTimeMaximum(range.start, CMTimeMinimum(time, range.end))
}

/// Returns the time shifted into a range by a whole number of durations. The end folds to the start.
///
/// - Parameters:
///   - time: The time.
///   - foldRange: The range.
/// - Returns: A time inside the range; `.invalid` if the range is empty, if either is not valid, or if their epochs
///   differ.
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime {
    guard haveOneEpoch(time, foldRange.start) else { return .invalid }
    return CMTime(MediaTimeRange(foldRange).folded(MediaTime(time)), like: foldRange.start, time)
}

/// Returns a time carried over from one range to another: start to start, end to end, and on the same line outside.
///
/// - Parameters:
///   - time: The time.
///   - fromRange: The range that the time is relative to.
///   - toRange: The range to map into.
/// - Returns: The mapped time. If both ranges have no end, it is as far from the start as before. `.invalid` if a range
///   is empty, if anything else is not numeric, or if the epochs of the time and the first range differ.
public func CMTimeMapTimeFromRangeToRange(_ time: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange)
    -> CMTime
{
    guard haveOneEpoch(time, fromRange.start), !toRange.isEmpty else { return .invalid }
    if haveNoEnd(fromRange, toRange) {
        return time.isNumeric ? toRange.start + (time - fromRange.start) : .invalid
    }
    let mapped = MediaTime(time).mapped(from: MediaTimeRange(fromRange), to: MediaTimeRange(toRange))
    return CMTime(mapped, like: toRange.start, time, fromRange.start)
}

/// Returns a duration scaled by the ratio of two ranges' durations.
///
/// - Parameters:
///   - dur: The duration, of epoch 0.
///   - fromRange: The range that the duration is measured in.
///   - toRange: The range to scale to.
/// - Returns: The scaled duration, or the duration itself if both ranges have no end. `.invalid` if a range is empty,
///   if anything else is not numeric, or if the duration has an epoch.
public func CMTimeMapDurationFromRangeToRange(_ dur: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange)
    -> CMTime
{
    guard dur.epoch == 0, !toRange.isEmpty else { return .invalid }
    if haveNoEnd(fromRange, toRange) { return dur.isNumeric ? dur : .invalid }
    let mapped = MediaTime(dur).mappedAsDuration(from: MediaTimeRange(fromRange), to: MediaTimeRange(toRange))
    return CMTime(mapped, like: dur)
}

private func haveOneEpoch(_ a: CMTime, _ b: CMTime) -> Bool {
    !a.isNumeric || !b.isNumeric || a.epoch == b.epoch
}

/// Returns whether two ranges begin at a numeric time and have no end.
private func haveNoEnd(_ a: CMTimeRange, _ b: CMTimeRange) -> Bool {
    a.start.isNumeric && b.start.isNumeric && a.duration.isPositiveInfinity && b.duration.isPositiveInfinity
}

/// Returns `CMTimeRange.isValid`.
///
/// - Parameter range: The range.
/// - Returns: True for valid ranges.
public func CMTIMERANGE_IS_VALID(_ range: CMTimeRange) -> Bool { range.isValid }
/// Returns whether a range is not valid.
///
/// - Parameter range: The range.
/// - Returns: True for ranges that are not valid.
public func CMTIMERANGE_IS_INVALID(_ range: CMTimeRange) -> Bool { !range.isValid }
/// Returns `CMTimeRange.isIndefinite`.
///
/// - Parameter range: The range.
/// - Returns: True if the start or the duration is not known.
public func CMTIMERANGE_IS_INDEFINITE(_ range: CMTimeRange) -> Bool { range.isIndefinite }
/// Returns `CMTimeRange.isEmpty`.
///
/// - Parameter range: The range.
/// - Returns: True for valid ranges without a duration.
public func CMTIMERANGE_IS_EMPTY(_ range: CMTimeRange) -> Bool { range.isEmpty }
