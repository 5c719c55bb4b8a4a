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
        var host: HostTime
    }

    private(set) var level: BufferLevel
    private let rules: BufferRules
    /// Nanoseconds of media that it takes to play.
    private var enough: Int64
    private var fill = FillRate()
    /// Of the item's bytes, where it is known how many have come. It says more than `fill`, which sees what was read alone.
    private var throughput = Throughput()
    private var forecast: LoadingForecast?
    private var hasForecast = false

    init(level: BufferLevel = .empty, rules: BufferRules = .local) {
        self.level = level
        self.rules = rules
        enough = rules.start
    }

    /// The data ran out while playing.
    mutating func starve() {
        level = .empty
        isSettled = false
        enough = rules.resume
        fill = FillRate()
    }

    /// Another place is being read, and nothing of it is there.
    mutating func startAnew() {
        level = .empty
        isSettled = false
        enough = rules.start
        fill = FillRate()
    }

    /// `update` has come to the best there is: it would say the same again.
    private(set) var isSettled = false

    mutating func update(_ pipeline: ItemPipeline, _ moment: Situation) -> BufferLevel {
        let hasEnded = pipeline.hasEndedReading(moment.epoch)
        let isFull = pipeline.isFull(moment.epoch)
        let isReady = pipeline.isReady(moment.epoch)
        let loading = pipeline.description.isLocal ? nil : pipeline.loadingState
        if let loading {
            throughput.note(loading.receivedBytes, at: moment.host, isResting: hasEnded || isFull)
        }
        if hasEnded || isReady { level.isEmpty = false }
        if hasEnded || isFull { level.isFull = true }
        if hasEnded || isReady && (isFull || isEnough(pipeline, moment, loading)) {
            level.isLikelyToKeepUp = true
        }
        pipeline.setReportsProgress(!level.isLikelyToKeepUp)
        isSettled = !level.isEmpty && level.isFull && level.isLikelyToKeepUp
        return level
    }

    private mutating func isEnough(_ pipeline: ItemPipeline, _ moment: Situation, _ loading: LoadingState?)
        -> Bool
    {
        // Backward what is at hand is a group of pictures, whatever its length.
        if pipeline.isReversed || level.isLikelyToKeepUp { return true }
        let ahead = pipeline.withProgress { $0.ahead(of: moment.itemTime, pass: moment.pass) }
        if let loading, let comes = comesInTime(pipeline.description, moment, loading, ahead: ahead) {
            return comes
        }
        if !pipeline.description.isLocal { fill.note(ahead, moment.host) }
        guard ahead >= enough else { return false }
        let duration = pipeline.description.duration.nanoseconds
        let left = duration.map { max(0, ItemTime(nanoseconds: $0) - moment.itemTime) }
        return fill.sustains(ahead, of: left, rate: moment.rate)
    }

    /// By bytes; nil: that is not known.
    private mutating func comesInTime(
        _ description: MediaDescription,
        _ moment: Situation,
        _ loading: LoadingState,
        ahead: Int64
    ) -> Bool? {
        if !hasForecast { forecast = LoadingForecast(description) }
        hasForecast = true
        guard let forecast else { return nil }
        // What comes faster than can be measured comes fast enough.
        guard let speed = throughput.value(at: moment.host) else { return ahead >= enough }
        let isEnough = ahead >= enough
        guard isEnough || ahead >= Int64(Double(enough) * Self.leastPart) else { return false }
        let delay = forecast.delay(
            from: moment.itemTime.nanoseconds,
            to: moment.end?.nanoseconds,
            missing: loading.missingBytes,
            // With little at hand there must be some speed to spare.
            speed: isEnough ? speed : speed * Self.careful,
            rate: Double(max(moment.rate, 0.01))
        )
        return delay == 0
    }

    /// Of what is to be at hand, where all that follows will surely come in time.
    private static let leastPart = 0.3
    /// The part of the measured speed that is counted on then.
    private static let careful = 0.9
}

/// How fast data comes, in seconds of media a second, measured while nothing is played.
struct FillRate {
    private var first: (ahead: Int64, host: HostTime)?
    private var last: (ahead: Int64, host: HostTime)?

    mutating func note(_ ahead: Int64, _ host: HostTime) {
        if first == nil { first = (ahead, host) }
        last = (ahead, host)
    }

    /// nil: not known yet.
    var value: Double? {
        guard let first, let last else { return nil }
        let time = last.host.nanoseconds(since: first.host)
        guard time >= Self.shortest else { return nil }
        return Double(last.ahead - first.ahead) / Double(time)
    }

    /// Whether what is `left` (nil: nobody knows how much) would be read before it is played, with `ahead`
    /// at hand now. True where nothing is known.
    func sustains(_ ahead: Int64, of left: Int64?, rate: Float) -> Bool {
        guard let fill = value else { return true }
        let rate = Double(max(rate, 0.01))
        if fill >= rate { return true }
        guard let left, fill > 0 else { return false }
        return Double(max(0, left - ahead)) / fill <= Double(left) / rate
    }

    /// What is measured over less says little.
    private static let shortest: Int64 = 500_000_000
}
