import MediaCore

/// Predicts whether the rest of a file would arrive in time if playback began now.
struct LoadingForecast {
    /// The byte marks of the file; see `MediaDescription.byteMarks`. Nothing is needed after the last one.
    let marks: [ByteMark]
    /// The size of the whole file in bytes.
    let byteCount: Int64

    /// Creates a forecast, or returns nil if the container does not declare its duration or its size.
    init?(_ description: MediaDescription) {
        guard let total = description.byteCount, let duration = description.duration.nanoseconds, duration > 0
        else { return nil }
        byteCount = total
        marks =
            description.byteMarks.isEmpty
            ? [ByteMark(time: duration, byteCount: total)] : description.byteMarks
    }

    /// Returns how long to delay playback, in nanoseconds, so that no data is missing up to `end`.
    ///
    /// - Parameters:
    ///   - time: The item time of the playback position, in nanoseconds.
    ///   - end: The item time at which playback ends, or nil for the end of the file.
    ///   - missing: The number of bytes that have not been received.
    ///   - speed: The throughput in bytes per nanosecond.
    ///   - rate: The playback rate.
    /// - Returns: The delay, or 0 if none is needed.
    func delay(from time: Int64, to end: Int64?, missing: Int64, speed: Double, rate: Double) -> Int64 {
        let held = byteCount - missing
        var longest = 0.0
        for mark in marks where mark.time > time && mark.byteCount > held {
            let needed = Double(mark.byteCount - held) / max(speed, 1e-12)
            longest = max(longest, needed - (Double(mark.time) - Double(time)) / rate)
            if let end, mark.time >= end { break }
        }
        return Int64(clamping: min(longest, 1e18))
    }
}
