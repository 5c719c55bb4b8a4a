import MediaCore

/// The bit rate that the policy allows, for use by lanes that choose variants.
final class BitRateLimit: Sendable {
    private let value = Locked<Double?>(nil)
    /// The throughput that this player measured before, in bits per second, or nil.
    private let throughput: Double?

    init(throughput: Double?) { self.throughput = throughput }

    func set(_ limit: Double) { value.withLock { $0 = limit } }

    /// Returns the limit in bits per second, where 0 means no limit.
    func value(for variants: [Variant]) -> Double {
        value.withLock { $0 } ?? BitRatePolicy(variants, throughput: throughput).limit
    }
}
