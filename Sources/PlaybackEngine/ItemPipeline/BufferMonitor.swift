import MediaCore

/// Derives the three flags of the buffer level from the queues, with hysteresis so that they do not flicker.
struct BufferMonitor {
    /// The position and the state of playback.
    struct Situation {
        var epoch: Epoch
        var itemTime: ItemTime
        /// The item time at which playback ends, or nil for the end of the data.
        var end: ItemTime?
        var pass: Int
        var rate: Float
        /// A Boolean value that indicates whether the timeline runs forward, and does so while bytes are read.
        var isPlaying: Bool
        var host: HostTime
    }

    private(set) var level: BufferLevel
    private let rules: BufferRules
    /// The buffered duration that playback requires, in nanoseconds.
    private var requiredDuration: Int64
    private var predictor = StallPredictor()
    /// The time since when, during playback, the missing data has been expected too late.
    private var stallExpectedSince: HostTime?
    /// A Boolean value that indicates whether that has lasted long enough to predict a stall.
    private var stallPredicted = false

    init(level: BufferLevel = .empty, rules: BufferRules = .local) {
        self.level = level
        self.rules = rules
        requiredDuration = rules.start
    }

    /// Starts again after the data ran out during playback.
    mutating func beginStall() { begin(rules.resume) }

    /// Starts again at another position, where no data is available.
    mutating func restart() { begin(rules.start) }

    private mutating func begin(_ requiredDuration: Int64) {
        level = .empty
        stableUntil = nil
        self.requiredDuration = requiredDuration
        predictor.restart()
        clearPrediction()
    }

    private mutating func clearPrediction() {
        stallExpectedSince = nil
        stallPredicted = false
    }

    /// The time until which `update` need not be called, because the level is at its best and cannot change.
    private(set) var stableUntil: HostTime?

    mutating func update(_ pipeline: ItemPipeline, _ situation: Situation) -> BufferLevel {
        let isLocal = pipeline.description.isLocal
        let hasEnded = pipeline.hasEndedReading(situation.epoch)
        let isFull = pipeline.isFull(situation.epoch)
        let isReady = pipeline.isReady(situation.epoch)
        if hasEnded || isReady { level.isEmpty = false }
        if hasEnded || isFull { level.isFull = true }
        let ahead = pipeline.withProgress { $0.ahead(of: situation.itemTime, pass: situation.pass) }
        if !isLocal { predictor.record(pipeline, situation, ahead: ahead, isIdle: hasEnded || isFull) }
        if hasEnded || isReady && (isFull || canKeepUp(pipeline, situation, ahead)) {
            level.isLikelyToKeepUp = true
            if hasEnded || isFull || stallPredicted { clearPrediction() }
        }
        if !isLocal, !hasEnded, !isFull, level.isLikelyToKeepUp, predictsStall(pipeline, situation, ahead) {
            level.isLikelyToKeepUp = false
            // Reading continues and will not reach its limits.
            level.isFull = false
        }
        pipeline.setReportsProgress(!level.isLikelyToKeepUp)
        let isBest = !level.isEmpty && level.isFull && level.isLikelyToKeepUp
        stableUntil =
            isBest
            ? (isLocal ? HostTime.distantFuture : situation.host.advanced(by: Self.recheckInterval)) : nil
        return level
    }

    private func canKeepUp(_ pipeline: ItemPipeline, _ situation: Situation, _ ahead: Int64) -> Bool {
        // Backward, the buffer holds a group of pictures, whatever its duration.
        if pipeline.isReversed || level.isLikelyToKeepUp { return true }
        if pipeline.description.isLocal { return ahead >= requiredDuration }
        let duration = pipeline.description.duration.nanoseconds
        if stallPredicted, situation.isPlaying {
            // The recovery from a predicted stall is judged by the current throughput, as the prediction was.
            return ahead >= requiredDuration
                && predictor.arrivesInTime(
                    situation,
                    ahead: ahead,
                    of: duration,
                    speedFactor: Self.conservativeSpeedFactor,
                    isCurrent: true
                ) == true
        }
        // With less in the buffer, the throughput needs a margin.
        let factor = ahead >= requiredDuration ? 1 : Self.conservativeSpeedFactor
        let arrives = predictor.arrivesInTime(situation, ahead: ahead, of: duration, speedFactor: factor)
        // Data that arrives too fast to be measured arrives in time.
        if ahead >= requiredDuration { return arrives ?? true }
        guard predictor.countsBytes, ahead >= Int64(Double(requiredDuration) * Self.minimumBufferFraction)
        else { return false }
        return arrives ?? false
    }

    /// Returns whether a stall is predicted: during playback, the missing data would arrive too late even at a
    /// slightly higher throughput than the current one, and that has lasted for a while.
    private mutating func predictsStall(_ pipeline: ItemPipeline, _ situation: Situation, _ ahead: Int64)
        -> Bool
    {
        let duration = pipeline.description.duration.nanoseconds
        let isLate =
            situation.isPlaying && !pipeline.isReversed
            && predictor.arrivesInTime(
                situation,
                ahead: ahead,
                of: duration,
                speedFactor: Self.optimisticSpeedFactor,
                isCurrent: true
            ) == false
        guard isLate else {
            stallExpectedSince = nil
            return false
        }
        let since = stallExpectedSince ?? situation.host
        stallExpectedSince = since
        stallPredicted = situation.host.nanoseconds(since: since) >= min(Self.minimumLateTime, ahead / 4)
        return stallPredicted
    }

    /// The fraction of the required duration that is sufficient if everything that follows is certain to arrive in
    /// time.
    private static let minimumBufferFraction = 0.3
    /// The fraction of the measured throughput that is assumed in that case, and after a stall has been predicted.
    private static let conservativeSpeedFactor = 0.9
    /// The multiple of the measured throughput that is assumed to predict a stall.
    private static let optimisticSpeedFactor = 1.1
    /// The time in nanoseconds for which data must be expected too late. It is shorter if little is buffered.
    private static let minimumLateTime: Int64 = 1_000_000_000
    /// The interval in nanoseconds after which a level that is at its best is checked again.
    private static let recheckInterval: Int64 = 250_000_000
}
