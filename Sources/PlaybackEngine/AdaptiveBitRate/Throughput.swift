import MediaCore

/// Measures how fast something comes, from how much of it there was at which times: bytes, or nanoseconds of media.
struct Throughput {
    private var samples: [(host: HostTime, amount: Int64)] = []
    /// What was measured before reading rested.
    private var valueBeforeIdle: Double?

    /// `isIdle`: nothing is read at present, so what does not come says nothing.
    mutating func record(_ amount: Int64, at host: HostTime, isIdle: Bool) {
        if isIdle {
            valueBeforeIdle = current(at: host) ?? valueBeforeIdle
            samples = []
            return
        }
        // Less than before: it is counted from elsewhere now.
        guard let last = samples.last, amount >= last.amount else {
            samples = [(host, amount)]
            return
        }
        // Between arrivals nothing is measured: what counts is from one to another.
        guard amount > last.amount, host.nanoseconds(since: last.host) >= Self.minimumSampleInterval else {
            return
        }
        samples.append((host, amount))
        let first = samples.firstIndex { host.nanoseconds(since: $0.host) <= Self.retention } ?? 0
        if first > 0 { samples.removeFirst(first) }
    }

    /// So much a nanosecond; nil: not known yet.
    func value(at now: HostTime) -> Double? { current(at: now) ?? valueBeforeIdle }

    /// The same by what has come in the last `window` nanoseconds, not by what came before reading rested.
    func current(at now: HostTime, over window: Int64 = Throughput.retention) -> Double? {
        guard let first = samples.first, let last = samples.last, samples.count >= 3,
            last.host.nanoseconds(since: first.host) >= Self.minimumMeasuredTime
        else { return nil }
        // Where nothing has come for long, that counts too.
        let isSilent = now.nanoseconds(since: last.host) >= Self.silenceThreshold
        let end = isSilent ? now : last.host
        let begin = end.advanced(by: -window)
        let base = samples.last { $0.host <= begin } ?? first
        return Double(last.amount - base.amount) / Double(end.nanoseconds(since: base.host))
    }

    /// Nanoseconds: 50 ms between two samples, 4 s kept, 0.2 s before anything is said.
    private static let minimumSampleInterval: Int64 = 50_000_000
    private static let retention: Int64 = 4_000_000_000
    private static let minimumMeasuredTime: Int64 = 200_000_000
    private static let silenceThreshold: Int64 = 500_000_000
}
