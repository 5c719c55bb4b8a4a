package import MediaCore

/// Decides how many bits a second a variant may take, by how fast bytes come over the network and how much is at hand.
package struct BitRatePolicy: Hashable, Sendable {
    /// How loading stands.
    package struct Situation: Hashable, Sendable {
        /// Bits a second that come; nil: not known.
        package var throughput: Double?
        /// Nanoseconds of media at hand; `.max`: reading is in a later pass of a loop.
        package var ahead: Int64
        /// As much is at hand as is to be.
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

    /// Peak bit rates of the variants, the lowest first.
    private let peakBitRates: [Double]
    /// Bits per second; 0: as many as there are.
    package private(set) var limit: Double
    private var changedAt: HostTime?

    /// The part of the measured speed that a variant may take. Links vary, peaks are means over a segment, and other
    /// renditions, headers and new requests come on top.
    package static let bandwidthFraction = 0.7
    /// Nanoseconds. Less at hand does not last for opening another variant and fetching a segment of it.
    package static let lowBufferDuration: Int64 = 5_000_000_000
    /// Nanoseconds. With so much at hand a better variant that turns out too large can be left again in time.
    package static let highBufferDuration: Int64 = 10_000_000_000
    /// Nanoseconds from one change to the next one up: a link that sways does not make the picture sway.
    package static let minimumUpswitchInterval: Int64 = 8_000_000_000

    /// It begins with what `throughput` allows, and where that is not known with the first variant: whoever made the
    /// playlist put there what most links and devices can play.
    package init(_ variants: [Variant], throughput: Double? = nil) {
        peakBitRates = variants.map(\.peakBitRate).filter { $0 > 0 }.sorted()
        limit = variants.first?.peakBitRate ?? 0
        if let throughput, let best = best(at: throughput) { limit = best }
    }

    /// True: the limit has changed.
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

    /// The highest that can be had at a speed, else the lowest.
    private func best(at throughput: Double) -> Double? {
        peakBitRates.last { $0 <= throughput * Self.bandwidthFraction } ?? peakBitRates.first
    }
}
