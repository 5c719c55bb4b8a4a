import DequeModule
import MediaCore

/// Measures the rate of the frames shown in the last second of playback.
struct FrameRateMeter {
    private var times: Deque<Int64> = []
    private static let window: Int64 = 1_000_000_000

    mutating func reset() { times = [] }

    mutating func note(_ host: HostTime) {
        let now = host.nanoseconds
        times.append(now)
        while let first = times.first, first <= now - Self.window { times.removeFirst() }
    }

    /// The frame rate between the first and the last frame of the window, or 0 if there are fewer than two
    /// frames.
    var value: Float {
        guard let first = times.first, let last = times.last, last > first else { return 0 }
        return Float(Double(times.count - 1) * 1e9 / Double(last - first))
    }
}
