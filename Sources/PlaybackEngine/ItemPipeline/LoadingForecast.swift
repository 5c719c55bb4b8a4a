import MediaCore

/// Whether what is still to come of a file would be there in time, if playing began now.
struct LoadingForecast {
    /// See `MediaDescription.byteMarks`. Behind the last one nothing is needed.
    let marks: [ByteMark]
    /// Of the whole file.
    let byteCount: Int64

    /// By what the container says; nil: it does not say how long it is, or how large.
    init?(_ description: MediaDescription) {
        guard let total = description.byteCount, let duration = description.duration.nanoseconds, duration > 0
        else { return nil }
        byteCount = total
        marks =
            description.byteMarks.isEmpty
            ? [ByteMark(time: duration, byteCount: total)] : description.byteMarks
    }

    /// Nanoseconds to wait before playing, so that nothing is missing up to `end` (nil: of the file); 0: none.
    ///
    /// - Parameters:
    ///   - time: where playing stands, in nanoseconds of item time.
    ///   - missing: bytes that have not come.
    ///   - speed: bytes a nanosecond.
    ///   - rate: at which it is played.
    func delay(from time: Int64, to end: Int64?, missing: Int64, speed: Double, rate: Double) -> Int64 {
        let held = byteCount - missing
        var longest = 0.0
        for mark in marks where mark.time > time && mark.byteCount > held {
            let needed = Double(mark.byteCount - held) / max(speed, 1e-12)
            longest = max(longest, needed - Double(mark.time - time) / rate)
            if let end, mark.time >= end { break }
        }
        return Int64(min(longest, 1e18))
    }
}
