package import MediaCore

/// Decides the maximum bit rate of a variant from the network's throughput and the buffered duration.
package struct BitRatePolicy: Hashable, Sendable {
    /// The state of loading that a decision is based on.
    package struct Situation: Hashable, Sendable {
        /// The measured throughput in bits per second, or nil if it is unknown.
        package var throughput: Double?
        /// The buffered duration in nanoseconds, or `.max` if reading is in a later pass of a loop.
        package var ahead: Int64
        /// A Boolean value that indicates whether the buffer is full.
        package var isFull: Bool
        package var rate: Float
        package var host: HostTime

        package init(throughput: Double?, ahead: Int64, isFull: Bool, rate: Float = 1, host: HostTime) {
            self.throughput = throughput
            self.ahead = ahead
            self.isFull = isFull
            self.rate = rate
            self.host = host
        }
    }

    /// The peak bit rates of the variants, in ascending order.
    private let peakBitRates: [Double]
    /// The limit in bits per second, where 0 means no limit.
    package private(set) var limit: Double
    private var changedAt: HostTime?

    /// The fraction of the measured throughput that a variant may use. Links vary, peak bit rates are averages over a
    /// segment, and other renditions, headers and new requests add to the load.
    package static let bandwidthFraction = 0.7
    /// The buffered duration in nanoseconds below which a lower variant is chosen. Less would not last until another
    /// variant is open and a segment of it is fetched.
    package static let lowBufferDuration: Int64 = 5_000_000_000
    /// The buffered duration in nanoseconds from which a higher variant is chosen. It allows leaving a variant in
    /// time that turns out to be too large.
    package static let highBufferDuration: Int64 = 10_000_000_000
    /// The minimum interval in nanoseconds between a change of the limit and a following change to a higher variant. It
    /// prevents oscillation on a link whose throughput varies.
    package static let minimumUpswitchInterval: Int64 = 8_000_000_000

    /// Creates a policy. It starts with the variant that `throughput` allows or, if that is unknown, with the first
    /// one, which a playlist's author chooses so that most links and devices can play it.
    package init(_ variants: [Variant], throughput: Double? = nil) {
        peakBitRates = variants.map(\.peakBitRate).filter { $0 > 0 }.sorted()
        limit = variants.first?.peakBitRate ?? 0
        if let throughput, let best = best(at: throughput) { limit = best }
    }

    /// Updates the limit, and returns true if it has changed.
    package mutating func update(_ now: Situation) -> Bool {
        guard limit > 0, let throughput = now.throughput else { return false }
        let rate = Double(max(1, now.rate))
        guard let best = best(at: throughput / rate), best != limit else { return false }
        let playableTime = Double(now.ahead) / rate
        if best < limit {
            guard !now.isFull, playableTime < Double(Self.lowBufferDuration) else { return false }
        } else {
            guard now.isFull || playableTime >= Double(Self.highBufferDuration) else { return false }
            if let changedAt, now.host.nanoseconds(since: changedAt) < Self.minimumUpswitchInterval {
                return false
            }
        }
        limit = best
        changedAt = now.host
        return true
    }

    /// Returns the highest peak bit rate that a throughput allows, or the lowest one if it allows none.
    private func best(at throughput: Double) -> Double? {
        peakBitRates.last { $0 <= throughput * Self.bandwidthFraction } ?? peakBitRates.first
    }
}
