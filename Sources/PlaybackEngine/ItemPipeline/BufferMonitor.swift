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
    private var enough: Int64
    private var outlook = StallPredictor()
    /// Since when, while it is played, what is missing would come too late.
    private var doubtedSince: HostTime?
    /// That has gone on for so long that nobody counts on it any more.
    private var stallPredicted = false

    init(level: BufferLevel = .empty, rules: BufferRules = .local) {
        self.level = level
        self.rules = rules
        enough = rules.start
    }

    /// The data ran out while playing.
    mutating func starve() { begin(rules.resume) }

    /// Another place is being read, and nothing of it is there.
    mutating func startAnew() { begin(rules.start) }

    private mutating func begin(_ enough: Int64) {
        level = .empty
        settledUntil = nil
        self.enough = enough
        outlook.startAnew()
        trust()
    }

    private mutating func trust() {
        doubtedSince = nil
        stallPredicted = false
    }

    /// `update` has come to the best there is, and would say the same again until then.
    private(set) var settledUntil: HostTime?

    mutating func update(_ pipeline: ItemPipeline, _ moment: Situation) -> BufferLevel {
        let isLocal = pipeline.description.isLocal
        let hasEnded = pipeline.hasEndedReading(moment.epoch)
        let isFull = pipeline.isFull(moment.epoch)
        let isReady = pipeline.isReady(moment.epoch)
        if hasEnded || isReady { level.isEmpty = false }
        if hasEnded || isFull { level.isFull = true }
        let ahead = pipeline.withProgress { $0.ahead(of: moment.itemTime, pass: moment.pass) }
        if !isLocal { outlook.note(pipeline, moment, ahead: ahead, isResting: hasEnded || isFull) }
        if hasEnded || isReady && (isFull || isEnough(pipeline, moment, ahead)) {
            level.isLikelyToKeepUp = true
            if hasEnded || isFull || stallPredicted { trust() }
        }
        if !isLocal, !hasEnded, !isFull, level.isLikelyToKeepUp, predictsStall(pipeline, moment, ahead) {
            level.isLikelyToKeepUp = false
            // Reading goes on, and will not come to its bounds.
            level.isFull = false
        }
        pipeline.setReportsProgress(!level.isLikelyToKeepUp)
        let isBest = !level.isEmpty && level.isFull && level.isLikelyToKeepUp
        settledUntil =
            isBest ? (isLocal ? HostTime.distantFuture : moment.host.advanced(by: Self.lookInterval)) : nil
        return level
    }

    private func isEnough(_ pipeline: ItemPipeline, _ moment: Situation, _ ahead: Int64) -> Bool {
        // Backward what is at hand is a group of pictures, whatever its length.
        if pipeline.isReversed || level.isLikelyToKeepUp { return true }
        if pipeline.description.isLocal { return ahead >= enough }
        let duration = pipeline.description.duration.nanoseconds
        if stallPredicted, moment.isPlaying {
            // As it was doubted: by what comes now.
            return ahead >= enough
                && outlook.comesInTime(
                    moment,
                    ahead: ahead,
                    of: duration,
                    at: Self.careful,
                    isCurrent: true
                ) == true
        }
        // With little at hand there must be some speed to spare.
        let part = ahead >= enough ? 1 : Self.careful
        let comes = outlook.comesInTime(moment, ahead: ahead, of: duration, at: part)
        // What comes faster than can be measured comes fast enough.
        if ahead >= enough { return comes ?? true }
        guard outlook.countsBytes, ahead >= Int64(Double(enough) * Self.leastPart) else { return false }
        return comes ?? false
    }

    /// While it is played: what is missing would come too late, even at a little more than the present speed, and has been
    /// about to for a while. A moment says nothing.
    private mutating func predictsStall(_ pipeline: ItemPipeline, _ moment: Situation, _ ahead: Int64) -> Bool
    {
        let duration = pipeline.description.duration.nanoseconds
        let isLate =
            moment.isPlaying && !pipeline.isReversed
            && outlook.comesInTime(
                moment,
                ahead: ahead,
                of: duration,
                at: Self.generous,
                isCurrent: true
            ) == false
        guard isLate else {
            doubtedSince = nil
            return false
        }
        let since = doubtedSince ?? moment.host
        doubtedSince = since
        stallPredicted = moment.host.nanoseconds(since: since) >= min(Self.patience, ahead / 4)
        return stallPredicted
    }

    /// Of what is to be at hand, where all that follows will surely come in time.
    private static let leastPart = 0.3
    /// The part of the measured speed that is counted on then, and where it has been doubted.
    private static let careful = 0.9
    /// The same where it is to be doubted.
    private static let generous = 1.1
    /// Nanoseconds for which it must look as if it came too late; with little at hand less.
    private static let patience: Int64 = 1_000_000_000
    /// Nanoseconds after which it is looked again whether all goes well still.
    private static let lookInterval: Int64 = 250_000_000
}
