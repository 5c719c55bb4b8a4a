import MediaCore
import PlayheadTesting

@testable import PlaybackEngine

/// Drives the state with random events and checks its invariants (`StateInvariant`).
struct StateWalker {
    var state = PlaybackState()
    var random: InputRandom
    var steps = 0
    var observed = Observed()
    private var nextID: UInt64 = 0

    /// The state as an observer of the actions alone knows it.
    struct Observed {
        /// The seeks that have been requested and have not completed.
        var open: Set<SeekID> = []
        var prerolls: Set<SeekID> = []
        var timelineRate: Float = 0
        var rate: Float = 0
        var timeControl = TimeControlStatus.paused
        var waitReason: WaitingReason?
        var playerStatus = PlayerStatus.unknown
        var item: ItemID?
        var itemStatus = PlayerItemStatus.unknown
        /// The items that are open.
        var opened: Set<ItemID> = []
        /// The number of outcomes since the pass began.
        var outcomes = 0
        /// The item whose pass is being played.
        var passOf: ItemID?
        var hasOutcome = false
        /// The outcome that has to follow an end or a failure that was reported.
        var expectedOutcome: PassOutcome?
        var pastEpochs: Set<Epoch> = []
        var isInterrupted = false
        /// The item is open a second time.
        var hasReplacement = false
        /// The pass that an interstitial has interrupted, which continues after it.
        var interruptedPass: InterruptedPass?
        /// How often the walk has covered each case.
        var coverage = Coverage()
    }

    struct InterruptedPass {
        var item: ItemID
        var hasOutcome: Bool
        var outcomes: Int
    }

    struct Coverage {
        var ends = 0, failures = 0, stalls = 0, resumed = 0, completedSeeks = 0, seams = 0,
            directionChanges = 0, passes = 0, switches = 0, movedEnds = 0
        var interstitials = 0, returns = 0, seamlessReturns = 0
        var replaced = 0, stopped = 0, interruptions = 0, resumedAfterInterruption = 0
        var minimum: Int {
            [
                ends, failures, stalls, resumed, completedSeeks, seams, directionChanges, passes, switches,
                movedEnds, replaced, stopped, interruptions, resumedAfterInterruption,
                interstitials, returns, seamlessReturns,
            ].min() ?? 0
        }
    }

    init(_ random: InputRandom) { self.random = random }

    /// Handles one random event. Returns the invariant that it violated, or nil.
    mutating func step() -> String? {
        steps += 1
        let event = makeEvent()
        let transition = Transition(event: event, before: state)
        if case .seek(let request) = event { observed.open.insert(request.id) }
        if case .preroll(let id) = event { observed.prerolls.insert(id) }
        let actions = state.handle(event)
        recordEpochs(transition)
        recordPass(transition)
        for action in actions {
            if let violation = record(action, transition) { return "\(event): \(violation)" }
        }
        let item = state.item
        for invariant in StateInvariant.all where !invariant.holds(state, item, observed, transition) {
            return "\(event): violates \"\(invariant.rawValue)\""
        }
        return nil
    }

    /// Records the epochs that have ended. The one of an item that an interstitial has interrupted continues after it.
    private mutating func recordEpochs(_ transition: Transition) {
        let kept = [state.epoch, state.interstitial?.primary?.epoch]
        for epoch in [transition.before.epoch, transition.before.interstitial?.primary?.epoch] {
            if let epoch, !kept.contains(epoch) { observed.pastEpochs.insert(epoch) }
        }
    }

    struct Transition {
        var event: PlaybackEvent
        var before: PlaybackState
    }

    private mutating func makeEvent() -> PlaybackEvent {
        nextID += 1
        if Int.random(in: 0..<3, using: &random) == 0, let event = makeNextStep() { return event }
        // Most events fit the current state; the others are arbitrary.
        let isTruthful = Int.random(in: 0..<4, using: &random) > 0
        let epoch = isTruthful ? state.epoch : Epoch(UInt64.random(in: 0..<4, using: &random))
        let item = state.item?.id ?? ItemID(nextID)
        let flag = Bool.random(using: &random)
        switch Int.random(in: 0..<82, using: &random) {
        case 0..<8: return .setRate([-1, 0, 0.5, 1, 2, .nan].randomElement(using: &random) ?? 0)
        case 8 where flag: return .restart(1, at: Bool.random(using: &random) ? makeTarget() : nil)
        case 8: return Bool.random(using: &random) ? .preroll(SeekID(nextID)) : .evaluationTimedOut(item)
        case 9 where flag: return .cancelPrerolls
        case 9..<10: return .playImmediately(flag ? 1 : 0)
        case 10: return flag ? .setScrubbing(Bool.random(using: &random)) : .previewPresented(epoch)
        case 11: return .setWaitsToMinimizeStalling(flag)
        case 12: return flag ? .setResumesAfterStall(Bool.random(using: &random)) : makeInterruption()
        case 13: return .setEndAction([.pause, .none, .advance].randomElement(using: &random) ?? .pause)
        case 14: return .setRepeat(flag ? .loop : .once)
        case 15: return .setItem(Int.random(in: 0..<4, using: &random) == 0 ? nil : ItemID(nextID))
        case 16..<22: return .seek(SeekRequest(id: SeekID(nextID), target: makeTarget()))
        case 22: return .cancelSeeks(flag ? state.interstitial?.primary?.item.id ?? item : item)
        case 23..<30: return .opened(item, duration: flag ? .ms(10_000) : .indefinite)
        case 30 where flag: return .failed(item, MediaError(.io, "random"))
        case 30:
            return .stuck(epoch, StuckReason.allCases.randomElement(using: &random) ?? .loading, after: 1)
        case 31..<42: return .buffer(item, makeLevel())
        case 42..<54:
            return .firstFramePresented(epoch, at: .ms(Int64.random(in: 0...10_000, using: &random)))
        case 54..<58: return .underrun(epoch)
        case 58..<64:
            let isCutOff = Int.random(in: 0..<4, using: &random) == 0
            return .reachedEnd(epoch, at: .ms(10_000), isCutOff ? MediaError(.truncated, "random") : nil)
        case 64..<67 where state.upcoming.count < 3:
            return .insert(ItemID(nextID), after: flag ? state.upcoming.randomElement(using: &random) : nil)
        case 67: return .remove(state.upcoming.randomElement(using: &random) ?? item)
        case 68 where flag: return .prepareAgain(state.upcoming.first ?? item)
        case 68: return Bool.random(using: &random) ? .advance : .removeUpcoming
        case 69 where flag: return Bool.random(using: &random) ? .startedLate(epoch) : .endRepeated(epoch)
        case 69: return .step(Int.random(in: -3...3, using: &random))
        case 70: return .reversible(item)
        case 71: return .itemSwitch(makeSwitchEvent())
        case 72..<75: return .readToEnd(epoch)
        case 75..<79:
            let next = state.upcoming.first ?? item
            return flag
                ? .preparedReady(next) : .preparedOpened(next, duration: .ms(10_000))
        case 79..<81: return .interrupt(ItemID(nextID), rate: flag ? 1 : 2)
        default: return .preparedFailed(state.upcoming.first ?? item, MediaError(.io, "random"))
        }
    }

    /// Returns an event that leads to playback and through a queue, so that the walk does not stay at the start.
    private mutating func makeNextStep() -> PlaybackEvent? {
        if let pending = state.pendingInterstitial, Bool.random(using: &random) {
            return pending.ready.isOpen
                ? .preparedReady(pending.ready.id)
                : .preparedOpened(pending.ready.id, duration: .ms(10_000))
        }
        guard let item = state.item else { return .setItem(ItemID(nextID)) }
        if item.status == .failed { return .setItem(ItemID(nextID)) }
        if item.status == .unknown { return .opened(item.id, duration: .ms(10_000)) }
        if !item.hasFirstFrame { return .firstFramePresented(state.epoch, at: .zero) }
        if item.isStepping { return .stepped(state.epoch, hasMoved: Bool.random(using: &random)) }
        if item.awaitsFrames { return .itemSwitch(makeSwitchEvent()) }
        if item.level.isEmpty || item.isStalled {
            return .buffer(
                item.id,
                BufferLevel(isEmpty: false, isLikelyToKeepUp: true, isFull: true)
            )
        }
        if item.hasEnded, Int.random(in: 0..<4, using: &random) == 0 { return .itemSwitch(makeSwitchEvent()) }
        if state.isScrubbing {
            return Bool.random(using: &random) ? .setScrubbing(false) : .previewPresented(state.epoch)
        }
        if state.awaitsRepeatedEnd { return .endRepeated(state.epoch) }
        if state.isInterrupted { return .interruptionEnded }
        if state.itemSwitch.phase != .idle, Bool.random(using: &random) {
            return .itemSwitch(makeSwitchEvent())
        }
        if state.rate == 0 { return .setRate(1) }
        guard state.timelineRate != 0, let next = state.upcoming.first else { return nil }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return .setEndAction(.advance)
        case 1: return .readToEnd(state.epoch)
        case 2: return .preparedOpened(next, duration: .ms(10_000))
        case 3: return .preparedReady(next)
        default: return .reachedEnd(state.epoch, at: .ms(10_000), nil)
        }
    }

    private mutating func makeInterruption() -> PlaybackEvent {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .setResumesAfterInterruption(Bool.random(using: &random))
        case 1, 2: .interruptionBegan
        default: .interruptionEnded
        }
    }

    private mutating func makeSwitchEvent() -> ItemSwitch.Event {
        let odd: [ItemSwitch.Changes] = [[], .tracks, .variant]
        let changes = odd.randomElement(using: &random) ?? []
        guard let situation = makeSituation() else { return .requested(changes, nil) }
        if Int.random(in: 0..<10, using: &random) == 0 { return .variantRestored }
        switch state.itemSwitch.phase {
        case .idle, .pending: return .requested(changes, situation)
        case .opening:
            return Int.random(in: 0..<4, using: &random) == 0 ? .openingFailed : .opened(situation)
        case .loading, .ready:
            let fails = Int.random(in: 0..<4, using: &random) == 0
            return .progressed(
                situation,
                isReady: Bool.random(using: &random),
                error: fails ? MediaError(.truncated, "random") : nil
            )
        }
    }

    /// Returns the situation of a switch at a random position, or nil if none can begin.
    private mutating func makeSituation() -> ItemSwitch.Situation? {
        guard let item = state.item, item.status == .readyToPlay, item.hasFirstFrame else { return nil }
        let time = ItemTime(nanoseconds: Int64.random(in: 0...10_000_000_000, using: &random))
        return ItemSwitch.Situation(
            time: time,
            rate: state.rate,
            isRunning: state.timelineRate != 0,
            isReverse: state.isReverse,
            hasEnded: item.hasEnded,
            continuesPastEnd: item.hasEnded && item.endError == nil && Bool.random(using: &random),
            isStalled: item.isStalled,
            deliveredUntil: time + 100_000_000,
            readUntil: time + 2_000_000_000,
            description: MediaDescription(formatName: "random")
        )
    }

    private mutating func makeTarget() -> MediaTime {
        let odd: [MediaTime] = [.invalid, .indefinite, .positiveInfinity, .negativeInfinity]
        let isOdd = Int.random(in: 0..<8, using: &random) == 0
        if isOdd, let time = odd.randomElement(using: &random) { return time }
        return .ms(Int64.random(in: -2000...12_000, using: &random))
    }

    /// Returns a random level. While the timeline runs, only `underrun` reports an empty buffer, as with `BufferMonitor`.
    private mutating func makeLevel() -> BufferLevel {
        let isEmpty = state.timelineRate == 0 && Bool.random(using: &random)
        let isLikely = !isEmpty && Bool.random(using: &random)
        return BufferLevel(
            isEmpty: isEmpty,
            isLikelyToKeepUp: isLikely,
            isFull: Bool.random(using: &random)
        )
    }
}
