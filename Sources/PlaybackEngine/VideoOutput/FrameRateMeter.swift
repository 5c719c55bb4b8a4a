import DequeModule
import MediaCore

/// Frames shown in the last second of playing.
struct FrameRateMeter {
    private var times: Deque<Int64> = []
    private static let window: Int64 = 1_000_000_000

    mutating func reset() { times = [] }

    mutating func note(_ host: HostTime) {
        let now = host.nanoseconds
        times.append(now)
        while let first = times.first, first <= now - Self.window { times.removeFirst() }
    }

    /// Frames a second, from the first to the last of those in the window; 0: fewer than two.
    var value: Float {
        guard let first = times.first, let last = times.last, last > first else { return 0 }
        return Float(Double(times.count - 1) * 1e9 / Double(last - first))
    }
}
