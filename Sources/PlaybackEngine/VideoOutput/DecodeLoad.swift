import MediaCore

/// Measures the time that a decoder needs per frame, from the state of its queues: it works while it has
/// packets and capacity for frames.
struct DecodeLoad {
    private struct Span {
        var start: HostTime
        var busy: Int64 = 0
        var decoded = 0
        /// The total duration of these frames in nanoseconds of item time.
        var duration: Int64 = 0
    }

    /// The current measurement, and the one of the half second before it.
    private var current: Span?
    private var previous: Span?
    private var last: (time: HostTime, isDecoding: Bool)?

    private static let spanDuration: Int64 = 500_000_000
    /// The work that suffices for an estimate before the first measurement is complete, in nanoseconds.
    private static let minimumBusyTime: Int64 = 200_000_000

    mutating func note(_ sample: DecodeSample) {
        let now = sample.now
        var span = current ?? Span(start: now)
        if let last, last.isDecoding { span.busy += max(0, now.nanoseconds(since: last.time)) }
        last = (now, sample.isDecoding)
        span.decoded += sample.decoded
        span.duration = span.duration.addingClamped(sample.duration)
        let isFull = now.nanoseconds(since: span.start) >= Self.spanDuration
        if isFull { previous = span }
        current = isFull ? Span(start: now) : span
    }

    /// The decoding time of one frame in host nanoseconds, or nil if it is unknown.
    var costPerFrame: Int64? {
        decoded > 0 ? busy / Int64(decoded) : nil
    }

    /// Returns the share of its time that the decoder would need to decode every frame, or nil if it is
    /// unknown.
    ///
    /// The estimate assumes that skipped frames cost as much as the others.
    func loadForAllFrames(rate: Float) -> Double? {
        guard previous != nil || busy >= Self.minimumBusyTime, duration > 0 else { return nil }
        return Double(busy) / Double(duration) * Double(abs(rate))
    }

    private var busy: Int64 { (previous?.busy ?? 0) + (current?.busy ?? 0) }
    private var decoded: Int { (previous?.decoded ?? 0) + (current?.decoded ?? 0) }
    private var duration: Int64 { (previous?.duration ?? 0).addingClamped(current?.duration ?? 0) }
}
