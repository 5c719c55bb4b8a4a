import MediaCore
import PlaybackEngine

/// Drives the state with random events and holds it to what it promises.
struct StateWalker {
    var state = PlaybackState()
    var random: SplitMix64
    var steps = 0
    private var nextID: UInt64 = 0
    /// Seeks that have been asked for and not answered.
    private var open: Set<SeekID> = []
    private var timelineRate: Float = 0

    init(seed: UInt64) { random = SplitMix64(seed) }

    /// What was broken, or nil.
    mutating func step() -> String? {
        steps += 1
        let event = makeEvent()
        let old = state
        if case .seek(let request) = event { open.insert(request.id) }
        let actions = state.handle(event)
        return check(actions, event) ?? invariant(old, event)
    }

    private mutating func makeEvent() -> PlaybackEvent {
        nextID += 1
        // Half the time the stages answer truthfully, else anything comes from anywhere.
        let epoch =
            Bool.random(using: &random) ? state.epoch : Epoch(UInt64.random(in: 0..<4, using: &random))
        let item = state.item?.id ?? ItemID(nextID)
        let flag = Bool.random(using: &random)
        let time = MediaTime(value: Int64.random(in: -2000...12_000, using: &random), timescale: 1000)
        switch Int.random(in: 0..<18, using: &random) {
        case 0: return .setRate([-1, 0, 0.5, 1, 2, .nan].randomElement(using: &random) ?? 0)
        case 1: return .playImmediately(flag ? 1 : 0)
        case 2: return .setWaitsToMinimizeStalling(flag)
        case 3: return .setResumesAfterStall(flag)
        case 4: return .setEndAction([.pause, .none, .advance].randomElement(using: &random) ?? .pause)
        case 5: return .setRepeat(flag ? .loop : .once)
        case 6: return .setItem(Int.random(in: 0..<4, using: &random) == 0 ? nil : ItemID(nextID))
        case 7, 8:
            let odd: [MediaTime] = [.invalid, .indefinite, .positiveInfinity, .negativeInfinity]
            let target =
                Int.random(in: 0..<8, using: &random) == 0 ? odd.randomElement(using: &random) ?? time : time
            return .seek(SeekRequest(id: SeekID(nextID), target: target))
        case 9: return .cancelSeeks
        case 10, 11: return .opened(item, duration: flag ? .ms(10_000) : .indefinite, isSeekable: flag)
        case 12: return .failed(item, MediaError(.io, "random"))
        case 13, 14:
            return .buffer(
                item,
                BufferLevel(isEmpty: flag, isLikelyToKeepUp: !flag, isFull: Bool.random(using: &random))
            )
        case 15: return .landed(epoch, at: time)
        case 16: return .ranDry(epoch)
        default: return .reachedEnd(epoch, at: .ms(10_000), flag ? nil : MediaError(.truncated, "random"))
        }
    }

    /// Each answer answers a question; what is posted agrees with what is.
    private mutating func check(_ actions: [PlaybackAction], _ event: PlaybackEvent) -> String? {
        var outcomes = 0
        for action in actions {
            switch action {
            case .completeSeek(let id, _) where id != SeekID(0):
                if open.remove(id) == nil { return "\(event): seek \(id) answered twice or never asked" }
            case .setTimelineRate(let rate):
                if rate == timelineRate { return "\(event): the timeline told what it knows" }
                timelineRate = rate
            case .post(.playedToEnd), .post(.failedToPlayToEnd): outcomes += 1
            default: continue
            }
        }
        if outcomes > 1 { return "\(event): \(outcomes) outcomes of one pass" }
        if timelineRate != state.timelineRate { return "\(event): the timeline was not told" }
        return nil
    }

    private func invariant(_ old: PlaybackState, _ event: PlaybackEvent) -> String? {
        if (state.rate == 0) != (state.timeControl == .paused) { return "\(event): rate 0 is not paused" }
        if state.timelineRate != 0, state.timelineRate != state.rate {
            return "\(event): runs at a rate nobody asked for"
        }
        if state.timeControl == .playing {
            guard let item = state.item else { return "\(event): plays nothing" }
            if item.status != .readyToPlay { return "\(event): plays an item that is \(item.status)" }
            if !item.hasLanded { return "\(event): plays in the middle of a seek" }
            if item.isStalled { return "\(event): plays on an empty buffer" }
        }
        if (state.waitReason != nil) != (state.timeControl == .waitingToPlayAtSpecifiedRate) {
            return "\(event): a reason without waiting, or none"
        }
        if state.epoch < old.epoch { return "\(event): the epoch ran backwards" }
        if let item = state.item, item.status == .failed, item.error == nil {
            return "\(event): failed without words"
        }
        // Every seek that is open is in flight or waiting: none is lost.
        let pending = state.item.map { $0.seekTarget != nil } ?? false
        if !open.isEmpty, !pending { return "\(event): \(open.count) seeks were forgotten" }
        if open.count > 2 { return "\(event): \(open.count) seeks at once" }
        return nil
    }
}
