import MediaCore

/// Measures throughput from amounts at given times. An amount counts bytes, or nanoseconds of media.
struct Throughput {
    private var samples: [(host: HostTime, amount: Int64)] = []
    /// The throughput that was measured before reading became idle.
    private var valueBeforeIdle: Double?

    /// Records an amount. While `isIdle` is true nothing is read, so the time is not counted.
    mutating func record(_ amount: Int64, at host: HostTime, isIdle: Bool) {
        if isIdle {
            valueBeforeIdle = current(at: host) ?? valueBeforeIdle
            samples = []
            return
        }
        // A smaller amount means that counting has started again.
        guard let last = samples.last, amount >= last.amount else {
            samples = [(host, amount)]
            return
        }
        // Only the times between arrivals are measured.
        guard amount > last.amount, host.nanoseconds(since: last.host) >= Self.minimumSampleInterval else {
            return
        }
        samples.append((host, amount))
        let first = samples.firstIndex { host.nanoseconds(since: $0.host) <= Self.retention } ?? 0
        if first > 0 { samples.removeFirst(first) }
    }

    /// Returns the throughput per nanosecond, or nil if it is unknown.
    func value(at now: HostTime) -> Double? { current(at: now) ?? valueBeforeIdle }

    /// Returns the throughput of the last `window` nanoseconds, without what was measured before reading became idle.
    func current(at now: HostTime, over window: Int64 = Throughput.retention) -> Double? {
        guard let first = samples.first, let last = samples.last, samples.count >= 3,
            last.host.nanoseconds(since: first.host) >= Self.minimumMeasuredTime
        else { return nil }
        // A long time without an arrival counts as well.
        let isSilent = now.nanoseconds(since: last.host) >= Self.silenceThreshold
        let end = isSilent ? now : last.host
        let begin = end.advanced(by: -window)
        let base = samples.last { $0.host <= begin } ?? first
        return (Double(last.amount) - Double(base.amount)) / Double(end.nanoseconds(since: base.host))
    }

    /// Times in nanoseconds: 50 ms between two samples, samples kept for 4 s, at least 0.2 s of measurement, and 0.5
    /// s without an arrival counts as silence.
    private static let minimumSampleInterval: Int64 = 50_000_000
    private static let retention: Int64 = 4_000_000_000
    private static let minimumMeasuredTime: Int64 = 200_000_000
    private static let silenceThreshold: Int64 = 500_000_000
}
