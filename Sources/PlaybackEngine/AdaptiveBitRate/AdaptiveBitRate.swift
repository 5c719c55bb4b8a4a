import MediaCore

/// Adapts the variant of an item to the throughput of the network. Confined to the control lane.
struct AdaptiveBitRate {
    let limit: BitRateLimit
    private let startThroughput: Double?
    private var throughput = Throughput()
    private var policy: BitRatePolicy?
    private var lastUpdate: HostTime?
    /// The time at which opening began, and the bytes that had been received by then.
    private let start: (host: HostTime, bytes: Int64)
    /// The throughput from the start of opening to the first idle time, in bits per second. It serves for media that
    /// arrive too fast to be sampled.
    private var estimate: Double?

    /// Creates an adaptation for an item whose opening begins.
    ///
    /// - Parameters:
    ///   - throughput: The throughput that the player measured before, in bits per second, or nil.
    ///   - bytes: The bytes received before `host`.
    ///   - host: The time at which opening begins.
    init(throughput: Double?, bytes: Int64, at host: HostTime) {
        startThroughput = throughput
        start = (host, bytes)
        limit = BitRateLimit(throughput: throughput)
    }

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
        if isIdle, estimate == nil, bytes - start.bytes >= Self.minimumMeasuredBytes {
            estimate = Double(bytes - start.bytes) * 8e9 / Double(max(1, now.nanoseconds(since: start.host)))
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
