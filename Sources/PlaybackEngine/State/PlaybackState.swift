package import MediaCore

/// The state machine that decides status, rate, stalls, seeks and ends of a player. It is a value without clocks,
/// queues, I/O or C: state and event in, state and actions out.
///
/// The requested rate (`rate`) and what actually happens (`timeControl` and the rate of the timeline) are separate.
/// Paused is a property of the request, never a phase.
package struct PlaybackState: Hashable, Sendable {
    /// The requested rate. It is 0 if and only if the user has paused, or the player has paused on the user's behalf.
    package internal(set) var rate: Float = 0
    package internal(set) var waitsToMinimizeStalling = true
    package internal(set) var resumesAfterStall = true
    package internal(set) var endAction: ActionAtItemEnd = .pause
    package internal(set) var repeatSetting: RepeatMode = .once
    /// The status of the player: unknown until the first item was opened or has failed. A failed item does not fail
    /// the player.
    package internal(set) var status: PlayerStatus = .unknown
    package internal(set) var item: ItemState?
    /// The items that follow the current one, in order.
    package internal(set) var upcoming: [ItemID] = []
    package internal(set) var epoch = Epoch()
    var newestEpoch = Epoch()
    /// A Boolean value that indicates whether frames are delivered backward.
    package internal(set) var isReverse = false
    var prepared: PreparedState?
    /// The item that is opened to interrupt the current one.
    var pendingInterstitial: PendingInterstitial?
    /// The current item's role as an interstitial, and what continues after it; nil if it interrupts nothing.
    package internal(set) var interstitial: InterstitialState?
    /// The switch of the current item to other settings.
    package internal(set) var itemSwitch = ItemSwitch()
    /// The epoch of the second opening of the current item.
    var switchEpoch = Epoch()

    /// The rate that was last set on the timeline.
    package internal(set) var timelineRate: Float = 0
    /// The rate that was requested and is not in effect. It is `none` after the user has paused.
    package internal(set) var withheldRate = WithheldRate.none
    /// A Boolean value that indicates whether the system has taken the audio device away and no rate has been set
    /// since.
    package internal(set) var isInterrupted = false
    package internal(set) var resumesAfterInterruption = true
    /// A Boolean value that indicates whether the buffer has been under evaluation for 100 ms. The player then waits
    /// to minimize stalls.
    var evaluationHasTimedOut = false
    /// A Boolean value that indicates whether playback starts without a sufficiently full buffer, as
    /// `playImmediately` requests.
    var startsAtOnce = false
    /// The prerolls that have not completed.
    var prerolls: [SeekID] = []
    var rateReason: RateChangeReason = .setRateCalled
    /// A Boolean value that indicates whether the seek in flight was superseded or cancelled and has completed
    /// already.
    var inFlightSeekIsAnswered = false
    /// A Boolean value that indicates whether a user drags the position.
    package internal(set) var isScrubbing = false
    /// The epoch without audio that a seek began while a user dragged the position.
    var silentEpoch: Epoch?
    /// The epoch that began because audio is delivered again. The position has not changed.
    var resumedEpoch: Epoch?

    package init() {}

    /// The actual state of playback.
    package var timeControl: TimeControlStatus {
        if rate == 0 { return .paused }
        return timelineRate != 0 ? .playing : .waitingToPlayAtSpecifiedRate
    }

    /// The reason why the player waits, or nil if it does not wait.
    package var waitReason: WaitingReason? {
        guard timeControl == .waitingToPlayAtSpecifiedRate else { return nil }
        guard let item else { return .noItemToPlay }
        guard item.status == .readyToPlay, item.hasFirstFrame, !item.hasPendingSteps, !item.awaitsFrames,
            waitsToMinimizeStalling
        else {
            return evaluationHasTimedOut && waitsToMinimizeStalling
                ? .toMinimizeStalls : .evaluatingBufferingRate
        }
        return .toMinimizeStalls
    }

    /// The rate that the user has requested, whether it is in effect or withheld, or nil after a pause.
    var requestedRate: Float? { rate == 0 ? withheldRate.rate : rate }

    /// A Boolean value that indicates whether playback was requested at the end, so that the end is to be reported
    /// again after a delay (`endRepeated`).
    package var awaitsRepeatedEnd: Bool { withheldRate.isForEnd }

    /// The item that the player evaluates without being able to say how long playback will wait, or nil; see
    /// `evaluationTimedOut`.
    package var itemUnderEvaluation: ItemID? {
        waitsToMinimizeStalling && waitReason == .evaluatingBufferingRate ? item?.id : nil
    }

    /// Handles one event.
    ///
    /// - Parameter event: What happened.
    /// - Returns: The actions to execute, in order.
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
            if !resumes, case .stall = withheldRate { withheldRate = .none }
        case .setResumesAfterInterruption(let resumes): resumesAfterInterruption = resumes
        case .interruptionBegan: beginInterruption(&actions)
        case .interruptionEnded: endInterruption(&actions)
        case .setEndAction(let action): setEndAction(action, &actions)
        case .setRepeat(let setting): setRepeat(setting, &actions)
        case .setItem(let id): setItem(id, &actions)
        case .seek(let request): seek(request, &actions)
        case .cancelSeeks(let id): cancelSeeks(id, &actions)
        case .setScrubbing(let isScrubbing): self.isScrubbing = isScrubbing
        case .previewPresented(let epoch): previewPresented(epoch, &actions)
        case .opened(let id, let duration): opened(id, duration, &actions)
        case .failed(let id, let error): failed(id, error, &actions)
        case .durationChanged(let id, let duration):
            if item?.id == id { item?.duration = duration }
        case .buffer(let id, let level): bufferChanged(id, level)
        case .firstFramePresented(let epoch, let time): firstFramePresented(epoch, time, &actions)
        case .seekWaitsForData(let epoch): seekWaitsForData(epoch, &actions)
        case .underrun(let epoch): underrun(epoch, &actions)
        case .reachedEnd(let epoch, let time, let error): reachedEnd(epoch, time, error, &actions)
        case .stuck(let epoch, let stuckReason, let time): stuck(epoch, stuckReason, after: time, &actions)
        case .evaluationTimedOut(let id): if item?.id == id { evaluationHasTimedOut = true }
        case .endRepeated(let epoch): endRepeated(epoch, &actions)
        case .insert(let id, let other): insert(id, after: other, &actions)
        case .interrupt(let id, let rate): interrupt(id, rate, &actions)
        case .remove(let id): remove(id, &actions)
        case .removeUpcoming: removeUpcoming(&actions)
        case .advance: advance(isSeamless: false, &actions)
        case .step(let count): step(count, &actions)
        case .stepped(let epoch, let hasMoved): stepped(epoch, hasMoved: hasMoved, &actions)
        case .itemSwitch(let event): switchItem(event, &actions)
        case .startedLate(let epoch): startedLate(epoch, &actions)
        case .reversible(let id): reversible(id)
        case .readToEnd(let epoch): if epoch == self.epoch { item?.isReadToEnd = true }
        case .preparedOpened(let id, let duration): preparedOpened(id, duration)
        case .preparedReady(let id): preparedReady(id, &actions)
        case .prepareAgain(let id): prepareAgain(id, &actions)
        case .preparedFailed(let id, let error): upcomingFailed(id, error, &actions)
        }
        restoreRateIfNotAtEnd()
        resumeAfterStall()
        settle(&actions)
        completePrerolls(since: before, event, &actions)
        prepareNext(&actions)
        if timeControl != .waitingToPlayAtSpecifiedRate || item?.id != before.item?.id {
            evaluationHasTimedOut = false
        }
        appendChanges(since: before, to: &actions)
        return actions
    }

    /// Starts or stops the timeline if the event requires it.
    private mutating func settle(_ actions: inout [PlaybackAction]) {
        if mustChangeDirection { changeDirection(&actions) }
        if mustResumeAudio { resumeAudio(&actions) }
        let effectiveRate = mayRun ? rate : 0
        if effectiveRate != 0 {
            startsAtOnce = false
            // Playback was started with the data that is available, so the stall is over.
            if timelineRate == 0 { item?.isStalled = false }
        }
        guard effectiveRate != timelineRate else { return }
        timelineRate = effectiveRate
        actions.append(.setTimelineRate(effectiveRate))
    }

    /// A Boolean value that indicates whether the timeline may run at the requested rate.
    private var mayRun: Bool {
        guard rate != 0, !isScrubbing, let item, item.status == .readyToPlay, item.hasFirstFrame else {
            return false
        }
        guard isReverse == (rate < 0), !item.hasPendingSteps, !item.awaitsFrames else { return false }
        // Under `.none` time continues past the end.
        if item.hasEnded { return endAction == .none }
        // Once running, the timeline continues until the data runs out.
        if timelineRate != 0 { return !item.isStalled }
        if item.level.isEmpty { return false }
        if startsAtOnce || !waitsToMinimizeStalling { return true }
        return item.level.isLikelyToKeepUp || item.level.isFull
    }

    /// Posts every change that observers can see, causes first.
    private func appendChanges(since old: PlaybackState, to actions: inout [PlaybackAction]) {
        func post(_ change: PlaybackChange) { actions.append(.post(change)) }
        if repeatSetting != old.repeatSetting { post(.repeatModeChanged(repeatSetting)) }
        if item?.id != old.item?.id { post(.itemChanged(from: old.item?.id, to: item?.id)) }
        if interstitial?.id != old.interstitial?.id {
            if let id = old.interstitial?.id { post(.interstitialEnded(id)) }
            if let id = interstitial?.id { post(.interstitialBegan(id)) }
        }
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
