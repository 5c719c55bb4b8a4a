package import MediaCore

/// The frames that a `FrameSampler` delivers.
package enum FrameSelection: Hashable, Sendable {
    /// The frames due at the middles of `count` equal parts of the range.
    case middles(count: Int)
    /// The frames due at the start of the range and each `1 / rate` seconds after it, at most `limit`.
    case rate(Double, limit: Int?)
    /// The frames due at the given times, in this order.
    case times([MediaTime])

    /// Returns the times in a range of an asset.
    ///
    /// - Parameters:
    ///   - start: The start of the range.
    ///   - end: The end of the range, or nil for the end of the asset.
    ///   - description: The asset.
    ///   - track: The video track.
    /// - Throws: `MediaError` if the times depend on the duration of the asset, and it is unknown.
    package func times(
        from start: MediaTime,
        to end: MediaTime?,
        of description: MediaDescription,
        _ track: Track
    ) throws(MediaError) -> SampleTimes {
        if case .times(let times) = self { return SampleTimes(times) }
        let duration = description.duration
        let isKnown = duration.isNumeric && duration > .zero
        let last = end.map { isKnown ? min($0, duration) : $0 } ?? duration
        let length = last - start
        let error = track.timeBase.roundingError
        guard let nanoseconds = length.nanoseconds else {
            throw MediaError(
                .invalidArgument,
                "unknown duration: the times of the frames cannot be derived from it"
            )
        }
        return switch self {
        case .middles(let count): SampleTimes(middlesOf: count, from: start, length: length)
        case .rate(let rate, let limit):
            SampleTimes(
                rate: rate,
                from: start,
                length: max(0, nanoseconds),
                limit: limit,
                tolerance: error,
                // Of the last frame of an asset the time and the duration may both have been rounded up, and of an
                // earlier one the time with which it ends.
                endError: isKnown && last == duration ? error + error : error
            )
        case .times(let times): SampleTimes(times)
        }
    }
}
