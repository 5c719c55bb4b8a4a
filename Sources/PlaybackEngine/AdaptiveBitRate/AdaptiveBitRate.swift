import MediaCore

/// Adapts the variant of an item to the throughput of the network. Confined to the control lane.
struct AdaptiveBitRate {
    let limit: BitRateLimit
    private let startThroughput: Double?
    private var throughput = Throughput()
    private var policy: BitRatePolicy?
    private var lastUpdate: HostTime?
    /// The time at which opening began, and the bytes that had been received by then.
    private let start: HostTime
    private var startBytes: Int64?
    /// The throughput from the start of opening to the first idle time, in bits per second. It serves for media that
    /// arrive too fast to be sampled.
    private var estimate: Double?

    /// Creates an adaptation for an item whose opening begins.
    ///
    /// - Parameters:
    ///   - throughput: The throughput that the player measured before, in bits per second, or nil.
    ///   - host: The time at which opening begins.
    init(throughput: Double?, at host: HostTime) {
        startThroughput = throughput
        start = host
        limit = BitRateLimit(throughput: throughput)
    }

    /// Records the bytes received when opening begins. Only the first call has an effect, because later openings of the
    /// item continue the measurement.
    mutating func begin(_ bytes: Int64) { startBytes = startBytes ?? bytes }

    /// The minimum interval between two updates: 100 ms.
    private static let updateInterval: Int64 = 100_000_000

    mutating func isDue(at now: HostTime) -> Bool {
        if let lastUpdate, now.nanoseconds(since: lastUpdate) < Self.updateInterval { return false }
        lastUpdate = now
        return true
    }

    /// Records the bytes received, and returns the throughput in bits per second, or nil if it is unknown. `isIdle`
    /// states that nothing is being fetched.
    mutating func measure(_ bytes: Int64, at now: HostTime, isIdle: Bool) -> Double? {
        throughput.record(bytes, at: now, isIdle: isIdle)
        let received = bytes - (startBytes ?? 0)
        if isIdle, estimate == nil, received >= Self.minimumMeasuredBytes {
            estimate = Double(received) * 8e9 / Double(max(1, now.nanoseconds(since: start)))
        }
        return throughput.value(at: now).map { $0 * 8e9 } ?? estimate
    }

    /// The minimum number of bytes that allows an estimate of the throughput.
    private static let minimumMeasuredBytes: Int64 = 64 << 10

    /// Updates the limit, and returns true if another variant may be preferred now.
    mutating func update(_ variants: [Variant], _ situation: BitRatePolicy.Situation) -> Bool {
        var policy = policy ?? BitRatePolicy(variants, throughput: startThroughput)
        let hasChanged = policy.update(situation)
        if hasChanged { limit.set(policy.limit) }
        self.policy = policy
        return hasChanged
    }
}
