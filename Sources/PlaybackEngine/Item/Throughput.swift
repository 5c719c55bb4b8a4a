import MediaCore

/// Measures how fast bytes come, from how many there were at which times.
struct Throughput {
    private var samples: [(host: HostTime, bytes: Int64)] = []
    /// What was measured before reading rested.
    private var known: Double?

    /// `isResting`: nothing is read at present, so what does not come says nothing.
    mutating func note(_ bytes: Int64, at host: HostTime, isResting: Bool) {
        if isResting {
            known = measured(at: host) ?? known
            samples = []
            return
        }
        guard let last = samples.last else {
            samples.append((host, bytes))
            return
        }
        // Between arrivals nothing is measured: what counts is from one to another.
        guard bytes > last.bytes, host.nanoseconds(since: last.host) >= Self.step else { return }
        samples.append((host, bytes))
        let first = samples.firstIndex { host.nanoseconds(since: $0.host) <= Self.memory } ?? 0
        if first > 0 { samples.removeFirst(first) }
    }

    /// Bytes a nanosecond; nil: not known yet.
    func value(at now: HostTime) -> Double? { measured(at: now) ?? known }

    private func measured(at now: HostTime) -> Double? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let time = last.host.nanoseconds(since: first.host)
        guard time >= Self.shortest, samples.count >= 3 else { return nil }
        // Where nothing has come for long, that counts too.
        let silence = now.nanoseconds(since: last.host)
        return Double(last.bytes - first.bytes) / Double(time + (silence >= Self.silence ? silence : 0))
    }

    /// Nanoseconds: 50 ms between two samples, 4 s kept, 0.2 s before anything is said.
    private static let step: Int64 = 50_000_000
    private static let memory: Int64 = 4_000_000_000
    private static let shortest: Int64 = 200_000_000
    private static let silence: Int64 = 500_000_000
}

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
