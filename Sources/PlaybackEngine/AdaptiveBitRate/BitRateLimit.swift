import MediaCore

/// What the policy allows, for those who choose variants on other lanes.
final class BitRateLimit: Sendable {
    private let value = Locked<Double?>(nil)
    /// Of this player, measured before.
    private let throughput: Double?

    init(throughput: Double?) { self.throughput = throughput }

    func set(_ limit: Double) { value.withLock { $0 = limit } }

    /// Bits per second; 0: as many as there are.
    func value(for variants: [Variant]) -> Double {
        value.withLock { $0 } ?? BitRatePolicy(variants, throughput: throughput).limit
    }
}
