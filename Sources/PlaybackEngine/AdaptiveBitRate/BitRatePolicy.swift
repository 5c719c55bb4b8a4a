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
    private let offered: [Double]
    /// Bits per second; 0: as many as there are.
    package private(set) var limit: Double
    private var changedAt: HostTime?

    /// The part of the measured speed that a variant may take. Links vary, peaks are means over a segment, and other
    /// renditions, headers and new requests come on top.
    package static let share = 0.7
    /// Nanoseconds. Less at hand does not last for opening another variant and fetching a segment of it.
    package static let danger: Int64 = 5_000_000_000
    /// Nanoseconds. With so much at hand a better variant that turns out too large can be left again in time.
    package static let comfort: Int64 = 10_000_000_000
    /// Nanoseconds from one change to the next one up: a link that sways does not make the picture sway.
    package static let pause: Int64 = 8_000_000_000

    /// It begins with what `throughput` allows, and where that is not known with the first variant: whoever made the
    /// playlist put there what most links and devices can play.
    package init(_ variants: [Variant], throughput: Double? = nil) {
        offered = variants.map(\.peakBitRate).filter { $0 > 0 }.sorted()
        limit = variants.first?.peakBitRate ?? 0
        if let throughput, let best = best(at: throughput) { limit = best }
    }

    /// True: the limit has changed.
    package mutating func update(_ now: Situation) -> Bool {
        guard limit > 0, let throughput = now.throughput else { return false }
        let rate = Double(max(1, now.rate))
        guard let best = best(at: throughput / rate), best != limit else { return false }
        let lasts = Double(now.ahead) / rate
        if best < limit {
            guard !now.isFull, lasts < Double(Self.danger) else { return false }
        } else {
            guard now.isFull || lasts >= Double(Self.comfort) else { return false }
            if let changedAt, now.host.nanoseconds(since: changedAt) < Self.pause { return false }
        }
        limit = best
        changedAt = now.host
        return true
    }

    /// The highest that can be had at a speed, else the lowest.
    private func best(at throughput: Double) -> Double? {
        offered.last { $0 <= throughput * Self.share } ?? offered.first
    }
}

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

/// How the variant of an item follows the speed of the network. Confined to the control lane.
struct AdaptiveBitRate {
    let limit: BitRateLimit
    private let startThroughput: Double?
    private var throughput = Throughput()
    private var policy: BitRatePolicy?
    private var lookedAt: HostTime?
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
    private static let step: Int64 = 100_000_000

    mutating func isDue(at now: HostTime) -> Bool {
        if let lookedAt, now.nanoseconds(since: lookedAt) < Self.step { return false }
        lookedAt = now
        return true
    }

    /// `isResting`: nothing is fetched at present. Bits a second; nil: not known.
    mutating func measure(_ bytes: Int64, at now: HostTime, isResting: Bool) -> Double? {
        throughput.note(bytes, at: now, isResting: isResting)
        if isResting, estimate == nil, bytes - start.bytes >= Self.leastBytes {
            estimate = Double(bytes - start.bytes) * 8e9 / Double(max(1, now.nanoseconds(since: start.host)))
        }
        return throughput.value(at: now).map { $0 * 8e9 } ?? estimate
    }

    /// Fewer say nothing of a link.
    private static let leastBytes: Int64 = 64 << 10

    /// True: another variant may be wanted.
    mutating func update(_ variants: [Variant], _ situation: BitRatePolicy.Situation) -> Bool {
        var policy = policy ?? BitRatePolicy(variants, throughput: startThroughput)
        let hasChanged = policy.update(situation)
        if hasChanged { limit.set(policy.limit) }
        self.policy = policy
        return hasChanged
    }
}
