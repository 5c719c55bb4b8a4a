import MediaCore

/// How the variant of an item follows the speed of the network. Confined to the control lane.
struct AdaptiveBitRate {
    let limit: BitRateLimit
    private let startThroughput: Double?
    private var throughput = Throughput()
    private var policy: BitRatePolicy?
    private var lastUpdate: HostTime?
    /// When opening began, and what had come by then.
    private let start: (host: HostTime, bytes: Int64)
    /// Bits a second up to where nothing more was to be read: what comes too fast to be measured comes fast enough.
    private var estimate: Double?

    /// `throughput`: what the player has measured before. `bytes`: what has come by `host`, when opening begins.
    init(throughput: Double?, bytes: Int64, at host: HostTime) {
        startThroughput = throughput
        start = (host, bytes)
        limit = BitRateLimit(throughput: throughput)
    }

    /// Nanoseconds between two looks.
    private static let updateInterval: Int64 = 100_000_000

    mutating func isDue(at now: HostTime) -> Bool {
        if let lastUpdate, now.nanoseconds(since: lastUpdate) < Self.updateInterval { return false }
        lastUpdate = now
        return true
    }

    /// `isIdle`: nothing is fetched at present. Bits a second; nil: not known.
    mutating func measure(_ bytes: Int64, at now: HostTime, isIdle: Bool) -> Double? {
        throughput.record(bytes, at: now, isIdle: isIdle)
        if isIdle, estimate == nil, bytes - start.bytes >= Self.minimumMeasuredBytes {
            estimate = Double(bytes - start.bytes) * 8e9 / Double(max(1, now.nanoseconds(since: start.host)))
        }
        return throughput.value(at: now).map { $0 * 8e9 } ?? estimate
    }

    /// Fewer say nothing of a link.
    private static let minimumMeasuredBytes: Int64 = 64 << 10

    /// True: another variant may be wanted.
    mutating func update(_ variants: [Variant], _ situation: BitRatePolicy.Situation) -> Bool {
        var policy = policy ?? BitRatePolicy(variants, throughput: startThroughput)
        let hasChanged = policy.update(situation)
        if hasChanged { limit.set(policy.limit) }
        self.policy = policy
        return hasChanged
    }
}
