import MediaCore

/// Measures what it costs to decode a frame, from what the loop sees of a decoder's queues: it works while it has
/// packets and room for frames.
struct DecodeLoad {
    private struct Span {
        var start: HostTime
        var busy: Int64 = 0
        var decoded = 0
        /// Nanoseconds of item time in which these frames are due.
        var duration: Int64 = 0
    }

    /// The newest measurements, and those of the half second before them.
    private var current: Span?
    private var previous: Span?
    private var last: (time: HostTime, isDecoding: Bool)?

    private static let spanDuration: Int64 = 500_000_000
    /// So much work tells something too.
    private static let minimumBusyTime: Int64 = 200_000_000

    mutating func note(_ sample: DecodeSample) {
        let now = sample.now
        var span = current ?? Span(start: now)
        if let last, last.isDecoding { span.busy += max(0, now.nanoseconds(since: last.time)) }
        last = (now, sample.isDecoding)
        span.decoded += sample.decoded
        span.duration += sample.duration
        let isFull = now.nanoseconds(since: span.start) >= Self.spanDuration
        if isFull { previous = span }
        current = isFull ? Span(start: now) : span
    }

    /// Host nanoseconds that one frame takes; nil: not known.
    var costPerFrame: Int64? {
        decoded > 0 ? busy / Int64(decoded) : nil
    }

    /// The share of its time that the decoder would need to decode every frame, as if those that are left out cost
    /// as much as the others; nil: not known.
    func loadForAllFrames(rate: Float) -> Double? {
        guard previous != nil || busy >= Self.minimumBusyTime, duration > 0 else { return nil }
        return Double(busy) / Double(duration) * Double(abs(rate))
    }

    private var busy: Int64 { (previous?.busy ?? 0) + (current?.busy ?? 0) }
    private var decoded: Int { (previous?.decoded ?? 0) + (current?.decoded ?? 0) }
    private var duration: Int64 { (previous?.duration ?? 0) + (current?.duration ?? 0) }
}
