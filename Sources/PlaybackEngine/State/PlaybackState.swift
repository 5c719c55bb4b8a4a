package import MediaCore

/// All that a player promises about status, rate, stalls, seeks and ends, decided in one place: a value
/// without clocks, queues, I/O or C. State and event in, state and actions out.
///
/// Intent (`rate`) and what really happens (`timeControl`, the timeline's rate) are two things; "paused" is
/// an intent, never a phase.
package struct PlaybackState: Hashable, Sendable {
    /// What the user wants. Zero if and only if paused in intent.
    package internal(set) var rate: Float = 0
    package internal(set) var waitsToMinimizeStalling = true
    package internal(set) var resumesAfterStall = true
    package internal(set) var endAction: ActionAtItemEnd = .pause
    package internal(set) var repeatSetting: RepeatMode = .once
    /// Unknown until a first item was tried. A failed item does not fail the player.
    package internal(set) var status: PlayerStatus = .unknown
    package internal(set) var item: ItemState?
    /// What is played after the item, in order.
    package internal(set) var upcoming: [ItemID] = []
    package internal(set) var epoch = Epoch()
    var newestEpoch = Epoch()
    /// The direction in which frames are delivered.
    package internal(set) var isReverse = false
    var prepared: PreparedState?

    /// What the timeline was last told.
    package internal(set) var timelineRate: Float = 0
    /// The rate that a stall took away, to be given back, by another item too; nil when the user has paused since.
    var rateBeforeStall: Float?
    /// The system has taken the audio away for a while, and nobody has played on in spite of it.
    package internal(set) var isInterrupted = false
    package internal(set) var resumesAfterInterruption = true
    /// The rate that an interruption took away; nil when the user has paused since.
    var rateBeforeInterruption: Float?
    /// The rate that was wanted of a queue's item that cannot be played: what is put behind it is played at that.
    var rateBeforeFailure: Float?
    /// The rate at which it was asked to play on from the end, where nothing is left: the end is told again in a moment,
    /// unless it is moved away from there first. Then this is the rate.
    package internal(set) var rateAtEnd: Float?
    /// Nothing can be said of the buffer yet, and that has taken longer than a moment: it is waited for data.
    var hasWaitedLong = false
    /// `playImmediately`: start without waiting for a full enough buffer.
    var startsAtOnce = false
    /// Asked for and not answered yet.
    var prerolls: [SeekID] = []
    var rateReason: RateChangeReason = .setRateCalled
    /// The seek in flight was superseded or cancelled and has had its answer.
    var inFlightSeekIsAnswered = false

    package init() {}

    /// What really happens.
    package var timeControl: TimeControlStatus {
        if rate == 0 { return .paused }
        return timelineRate != 0 ? .playing : .waitingToPlayAtSpecifiedRate
    }

    /// Non-nil only while waiting.
    package var waitReason: WaitingReason? {
        guard timeControl == .waitingToPlayAtSpecifiedRate else { return nil }
        guard let item else { return .noItemToPlay }
        guard item.status == .readyToPlay, item.hasFirstFrame, !item.mustStep, !item.awaitsFrames,
            waitsToMinimizeStalling
        else {
            return hasWaitedLong && waitsToMinimizeStalling ? .toMinimizeStalls : .evaluatingBufferingRate
        }
        return .toMinimizeStalls
    }

    /// The item for which it is waited without a word on how long it may take; see `waitedLong`.
    package var itemEvaluated: ItemID? {
        waitsToMinimizeStalling && waitReason == .evaluatingBufferingRate ? item?.id : nil
    }

    /// Takes one event in. `now` is the item time at which it happened, for what is stamped with it.
    package mutating func handle(_ event: PlaybackEvent) -> [PlaybackAction] {
        let before = self
        var actions: [PlaybackAction] = []
        rateReason = .setRateCalled
        switch event {
        case .setRate(let rate): setRate(rate, &actions)
        case .playImmediately(let rate):
            startsAtOnce = rate != 0
            setRate(rate, &actions)
        case .restart(let rate, let time): restart(rate, time, &actions)
        case .preroll(let id): preroll(id, &actions)
        case .cancelPrerolls: break
        case .setWaitsToMinimizeStalling(let waits): waitsToMinimizeStalling = waits
        case .setResumesAfterStall(let resumes):
            resumesAfterStall = resumes
            if !resumes { rateBeforeStall = nil }
        case .setResumesAfterInterruption(let resumes): resumesAfterInterruption = resumes
        case .interruptionBegan: beginInterruption(&actions)
        case .interruptionEnded: endInterruption(&actions)
        case .setEndAction(let action): setEndAction(action, &actions)
        case .setRepeat(let setting): setRepeat(setting, &actions)
        case .setItem(let id): setItem(id, &actions)
        case .seek(let request): seek(request, &actions)
        case .cancelSeeks: cancelSeeks(&actions)
        case .opened(let id, let duration): opened(id, duration, &actions)
        case .failed(let id, let error): failed(id, error, &actions)
        case .durationChanged(let id, let duration):
            if item?.id == id { item?.duration = duration }
        case .buffer(let id, let level): bufferChanged(id, level)
        case .firstFramePresented(let epoch, let time): firstFramePresented(epoch, time, &actions)
        case .seekWaits(let epoch): seekWaits(epoch, &actions)
        case .starved(let epoch): starved(epoch, &actions)
        case .reachedEnd(let epoch, let time, let error): reachedEnd(epoch, time, error, &actions)
        case .stuck(let epoch, let stuckReason, let time): stuck(epoch, stuckReason, after: time, &actions)
        case .waitedLong(let id): if item?.id == id { hasWaitedLong = true }
        case .endRepeated(let epoch): endRepeated(epoch, &actions)
        case .insert(let id, let other): insert(id, after: other, &actions)
        case .remove(let id): remove(id, &actions)
        case .removeUpcoming: removeUpcoming(&actions)
        case .advance: advance(isSeamless: false, &actions)
        case .step(let count): step(count, &actions)
        case .stepped(let epoch, let hasMoved): stepped(epoch, hasMoved: hasMoved, &actions)
        case .endMoved(let id): endMoved(id)
        case .framesCame(let id, let isLost): framesCame(id, isLost: isLost)
        case .reversible(let id): reversible(id)
        case .readToEnd(let epoch): if epoch == self.epoch { item?.isReadToEnd = true }
        case .preparedOpened(let id, let duration): preparedOpened(id, duration)
        case .preparedReady(let id): preparedReady(id)
        case .prepareAgain(let id): prepareAgain(id, &actions)
        case .preparedFailed(let id, let error): upcomingFailed(id, error, &actions)
        }
        leaveEnd(since: before)
        resumeAfterStall()
        settle(&actions)
        answerPrerolls(since: before, event, &actions)
        prepareNext(&actions)
        if timeControl != .waitingToPlayAtSpecifiedRate || item?.id != before.item?.id {
            hasWaitedLong = false
        }
        appendChanges(since: before, to: &actions)
        return actions
    }

    /// Starts or stops the timeline if what happened calls for it.
    private mutating func settle(_ actions: inout [PlaybackAction]) {
        if mustChangeDirection { changeDirection(&actions) }
        let wanted = mayRun ? rate : 0
        if wanted != 0 {
            startsAtOnce = false
            // It was started with what is there: the stall is over, however little that is.
            if timelineRate == 0 { item?.isStalled = false }
        }
        guard wanted != timelineRate else { return }
        timelineRate = wanted
        actions.append(.setTimelineRate(wanted))
    }

    /// Whether the timeline may run at the wanted rate.
    private var mayRun: Bool {
        guard rate != 0, let item, item.status == .readyToPlay, item.hasFirstFrame else { return false }
        guard isReverse == (rate < 0), !item.mustStep, !item.awaitsFrames else { return false }
        // Under `.none` time goes on past the end.
        if item.hasEnded { return endAction == .none }
        // Once running it goes on until the data really runs out.
        if timelineRate != 0 { return !item.isStalled }
        if item.level.isEmpty { return false }
        if startsAtOnce || !waitsToMinimizeStalling { return true }
        return item.level.isLikelyToKeepUp || item.level.isFull
    }

    /// What observers can see, in the order in which they are told of several changes at once: causes first.
    private func appendChanges(since old: PlaybackState, to actions: inout [PlaybackAction]) {
        func post(_ notice: PlaybackNotice) { actions.append(.post(notice)) }
        if repeatSetting != old.repeatSetting { post(.repeatModeChanged(repeatSetting)) }
        if item?.id != old.item?.id { post(.itemChanged(from: old.item?.id, to: item?.id)) }
        if let item, item.status == .readyToPlay,
            item.id != old.item?.id || old.item?.status == .unknown
        {
            actions.append(.describe(item.id))
        }
        if status != old.status { post(.playerStatusChanged(status)) }
        if let item {
            let past = old.item?.id == item.id ? old.item : nil
            if item.duration != (past?.duration ?? .indefinite) {
                post(.durationChanged(item.id, item.duration))
            }
            if item.status != (past?.status ?? .unknown) { post(.itemStatusChanged(item.id, item.status)) }
            let level = past?.level ?? .empty
            if item.level.isEmpty != level.isEmpty { post(.bufferEmptyChanged(item.id, item.level.isEmpty)) }
            if item.level.isFull != level.isFull { post(.bufferFullChanged(item.id, item.level.isFull)) }
            if item.level.isLikelyToKeepUp != level.isLikelyToKeepUp {
                post(.likelyToKeepUpChanged(item.id, item.level.isLikelyToKeepUp))
            }
        }
        if rate != old.rate { post(.rateChanged(from: old.rate, to: rate, rateReason)) }
        if timeControl != old.timeControl || waitReason != old.waitReason {
            post(.timeControlChanged(timeControl, waitReason))
        }
    }
}
