import MediaCore

/// Turns queue levels into the three flags, with hysteresis so that they do not flicker.
struct BufferMonitor {
    /// Where playing stands, and how it goes.
    struct Situation {
        var epoch: Epoch
        var itemTime: ItemTime
        var pass: Int
        var rate: Float
        var host: HostTime
    }

    private(set) var level: BufferLevel
    private let rules: BufferRules
    /// Nanoseconds of media that it takes to play.
    private var enough: Int64
    private var fill = FillRate()

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
        if hasEnded || isReady { level.isEmpty = false }
        if hasEnded || isFull { level.isFull = true }
        if hasEnded || isReady && (isFull || isEnough(pipeline, moment)) { level.isLikelyToKeepUp = true }
        pipeline.setReportsProgress(!level.isLikelyToKeepUp)
        isSettled = !level.isEmpty && level.isFull && level.isLikelyToKeepUp
        return level
    }

    private mutating func isEnough(_ pipeline: ItemPipeline, _ moment: Situation) -> Bool {
        // Backward what is at hand is a group of pictures, whatever its length.
        if pipeline.isReversed || level.isLikelyToKeepUp { return true }
        let ahead = pipeline.withProgress { $0.ahead(of: moment.itemTime, pass: moment.pass) }
        if !pipeline.description.isLocal { fill.note(ahead, moment.host) }
        guard ahead >= enough else { return false }
        let duration = pipeline.description.duration.nanoseconds
        let left = duration.map { max(0, ItemTime(nanoseconds: $0) - moment.itemTime) }
        return fill.sustains(ahead, of: left, rate: moment.rate)
    }
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
