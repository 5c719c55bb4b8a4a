import MediaCore

/// Turns queue levels into the three flags, with hysteresis so that they do not flicker.
struct BufferMonitor {
    /// Where playing stands, and how it goes.
    struct Situation {
        var epoch: Epoch
        var itemTime: ItemTime
        /// Where playing ends; nil: where the data does.
        var end: ItemTime?
        var pass: Int
        var rate: Float
        /// Time runs forward, and passes while bytes come.
        var isPlaying: Bool
        var host: HostTime
    }

    private(set) var level: BufferLevel
    private let rules: BufferRules
    /// Nanoseconds of media that it takes to play.
    private var requiredDuration: Int64
    private var predictor = StallPredictor()
    /// Since when, while it is played, what is missing would come too late.
    private var stallExpectedSince: HostTime?
    /// That has gone on for so long that nobody counts on it any more.
    private var stallPredicted = false

    init(level: BufferLevel = .empty, rules: BufferRules = .local) {
        self.level = level
        self.rules = rules
        requiredDuration = rules.start
    }

    /// The data ran out while playing.
    mutating func beginStall() { begin(rules.resume) }

    /// Another place is being read, and nothing of it is there.
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

    /// `update` has come to the best there is, and would say the same again until then.
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
            // Reading goes on, and will not come to its bounds.
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
        // Backward what is at hand is a group of pictures, whatever its length.
        if pipeline.isReversed || level.isLikelyToKeepUp { return true }
        if pipeline.description.isLocal { return ahead >= requiredDuration }
        let duration = pipeline.description.duration.nanoseconds
        if stallPredicted, situation.isPlaying {
            // As it was doubted: by what comes now.
            return ahead >= requiredDuration
                && predictor.arrivesInTime(
                    situation,
                    ahead: ahead,
                    of: duration,
                    speedFactor: Self.conservativeSpeedFactor,
                    isCurrent: true
                ) == true
        }
        // With little at hand there must be some speed to spare.
        let factor = ahead >= requiredDuration ? 1 : Self.conservativeSpeedFactor
        let arrives = predictor.arrivesInTime(situation, ahead: ahead, of: duration, speedFactor: factor)
        // What comes faster than can be measured comes fast enough.
        if ahead >= requiredDuration { return arrives ?? true }
        guard predictor.countsBytes, ahead >= Int64(Double(requiredDuration) * Self.minimumBufferFraction)
        else { return false }
        return arrives ?? false
    }

    /// While it is played: what is missing would come too late, even at a little more than the present speed, and has been
    /// about to for a while. A moment says nothing.
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

    /// Of what is to be at hand, where all that follows will surely come in time.
    private static let minimumBufferFraction = 0.3
    /// The part of the measured speed that is counted on then, and where it has been doubted.
    private static let conservativeSpeedFactor = 0.9
    /// The same where it is to be doubted.
    private static let optimisticSpeedFactor = 1.1
    /// Nanoseconds for which it must look as if it came too late; with little at hand less.
    private static let minimumLateTime: Int64 = 1_000_000_000
    /// Nanoseconds after which it is looked again whether all goes well still.
    private static let recheckInterval: Int64 = 250_000_000
}
