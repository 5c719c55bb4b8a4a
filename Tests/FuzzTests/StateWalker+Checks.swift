import MediaCore

@testable import PlaybackEngine

/// Checks of actions: each completion belongs to a request, and each change is consistent with the previous one.
extension StateWalker {
    /// Records an action. Returns what it violates, or nil.
    mutating func record(_ action: PlaybackAction, _ transition: Transition) -> String? {
        switch action {
        case .completeSeek(let id, let finished):
            // Seek 0 is the state's own seek, which has no caller.
            if id == SeekID(0) { return nil }
            if observed.open.remove(id) == nil { return "seek \(id) completed twice or never requested" }
            if finished, !transition.isFirstFrame { return "a seek finished without a first frame" }
            if finished { observed.coverage.completedSeeks += 1 }
        case .completePreroll(let id, let finished):
            if observed.prerolls.remove(id) == nil {
                return "preroll \(id) completed twice or never requested"
            }
            if finished, transition.before.rate != 0 { return "a preroll finished while playing" }
        case .setTimelineRate(let rate):
            if rate == observed.timelineRate { return "the timeline's rate is set to its current value" }
            observed.timelineRate = rate
        case .open(let id), .prepare(let id, _), .prepareInterstitial(let id, _):
            if !observed.opened.insert(id).inserted { return "\(id) opened twice" }
            if case .open = action {
                observed.outcomes = 0
                return beginPass(of: id)
            }
        case .close(let id), .discard(let id):
            if observed.opened.remove(id) == nil { return "\(id) closed but not open" }
            if case .close = action { return beginPass(of: nil) }
        case .takeOver(let id, let old, let isSeamless):
            if isSeamless { observed.coverage.seams += 1 }
            if observed.opened.remove(old) == nil { return "\(old) closed but not open" }
            if !observed.opened.contains(id) { return "\(id) took over but is not open" }
            observed.outcomes = 0
            return beginPass(of: id)
        case .beginInterstitial(let id, _):
            observed.coverage.interstitials += 1
            if !observed.opened.contains(id) { return "\(id) interrupts but is not open" }
            if let replaced = transition.before.interstitial {
                observed.opened.remove(replaced.id)
            } else if let item = observed.passOf {
                observed.interruptedPass = InterruptedPass(
                    item: item,
                    // An end that was moved returns.
                    hasOutcome: observed.hasOutcome || state.interstitial?.primary?.item.hasEnded == true,
                    outcomes: observed.outcomes
                )
                observed.passOf = nil
            }
            observed.outcomes = 0
            return beginPass(of: id)
        case .endInterstitial(let id, let old, _, let isSeamless):
            observed.coverage.returns += 1
            if isSeamless { observed.coverage.seamlessReturns += 1 }
            if observed.opened.remove(old) == nil { return "\(old) closed but not open" }
            let violation = beginPass(of: id)
            guard let pass = observed.interruptedPass, pass.item == id else {
                return "\(id) was not interrupted"
            }
            observed.interruptedPass = nil
            observed.hasOutcome = pass.hasOutcome
            observed.outcomes = pass.outcomes
            return violation
        case .closePrimary(let id):
            if observed.opened.remove(id) == nil { return "\(id) closed but not open" }
            if observed.interruptedPass?.hasOutcome == false { return "the pass of \(id) had no outcome" }
            observed.interruptedPass = nil
        case .beginNextPass:
            observed.coverage.passes += 1
            observed.outcomes = 0
            return beginPass(of: observed.passOf)
        case .setDirection:
            observed.coverage.directionChanges += 1
            observed.outcomes = 0
            observed.hasOutcome = false
        case .seek:
            observed.outcomes = 0
            observed.hasOutcome = false
        case .itemSwitch(let action, _): return record(action)
        case .post(let change): return record(change, transition)
        case .resumeAudio:
            if state.isScrubbing { return "audio is delivered while scrubbing" }
        case .setLooping, .forget, .describe, .step, .searchEarlier: break
        }
        return nil
    }

    /// Records the continuation of a pass that had its outcome: after a step away from the end, or after the end was moved.
    mutating func recordPass(_ transition: Transition) {
        guard let old = transition.before.item, let new = state.item, old.id == new.id else { return }
        switch transition.event {
        case .stepped, .itemSwitch:
            guard old.hasEnded != new.hasEnded else { return }
            // An end that was moved returns if there is no content after it.
            observed.hasOutcome = new.hasEnded
            if new.awaitsFrames { observed.coverage.movedEnds += 1 }
            if !new.hasEnded { observed.outcomes = 0 }
        default: break
        }
    }

    /// Records an action of a switch. Returns what it violates, or nil.
    private mutating func record(_ action: ItemSwitch.Action) -> String? {
        switch action {
        case .open:
            if observed.hasReplacement { return "the item is opened a third time" }
            observed.hasReplacement = true
        case .move, .load, .hold: if !observed.hasReplacement { return "\(action) without a second opening" }
        case .replace, .discard:
            if !observed.hasReplacement { return "\(action) without a second opening" }
            observed.hasReplacement = false
            if case .replace = action { observed.coverage.switches += 1 }
        case .applyEnds: if observed.hasReplacement { return "a new epoch keeps the second opening" }
        }
        return nil
    }

    private mutating func record(_ change: PlaybackChange, _ transition: Transition) -> String? {
        switch change {
        case .playedToEnd, .failedToPlayToEnd:
            // After playback was requested at the end, the end is reported again, as AVPlayer does.
            if observed.outcomes > 0, !transition.setsRate { return "a second outcome of one pass" }
            observed.outcomes += 1
            if case .playedToEnd = change {
                observed.coverage.ends += 1
            } else {
                observed.coverage.failures += 1
            }
            observed.expectedOutcome = change.outcome
            if transition.before.timeControl != .playing, !transition.setsRate, !transition.isFailure {
                return "an end while \(transition.before.timeControl)"
            }
        case .playbackStalled:
            if transition.before.timeControl != .playing {
                return "a stall while \(transition.before.timeControl)"
            }
            observed.coverage.stalls += 1
        case .rateChanged(let old, let new, let reason):
            if old != observed.rate || new == old { return "rate \(old) -> \(new) after \(observed.rate)" }
            if reason == .resumedAfterStall, !transition.before.resumesAfterStall {
                return "resumed although disabled"
            }
            if reason == .resumedAfterStall { observed.coverage.resumed += 1 }
            if reason == .resumedAfterInterruption {
                if !transition.before.resumesAfterInterruption { return "resumed although disabled" }
                observed.coverage.resumedAfterInterruption += 1
            }
            observed.rate = new
        case .timeControlChanged(let status, let reason):
            if status == observed.timeControl, reason == observed.waitReason {
                return "the same status is reported twice"
            }
            (observed.timeControl, observed.waitReason) = (status, reason)
        case .interruptionBegan:
            if observed.isInterrupted { return "interrupted twice" }
            observed.isInterrupted = true
            observed.coverage.interruptions += 1
        case .interruptionEnded(let shouldResume):
            if !observed.isInterrupted { return "the end of an interruption that had not begun" }
            if shouldResume, transition.setsRate { return "should resume although the user plays" }
            observed.isInterrupted = false
        case .playerStatusChanged(let status): observed.playerStatus = status
        case .itemChanged(let old, let new):
            if old != observed.item || old == new { return "item changed from \(String(describing: old))" }
            (observed.item, observed.itemStatus) = (new, .unknown)
        case .itemStatusChanged(let id, let status):
            if id != observed.item { return "a report of \(id), which is not current" }
            if observed.itemStatus == .failed { return "a failed item recovered" }
            observed.itemStatus = status
        case .passEnded(let id, let outcome):
            if let violation = record(outcome, of: id, transition) { return violation }
        default: break
        }
        return nil
    }
}

extension StateWalker {
    /// Checks that each pass has one outcome, for the item that was playing, and that it matches the report.
    private mutating func record(_ outcome: PassOutcome, of id: ItemID, _ transition: Transition) -> String? {
        if observed.interruptedPass?.item == id {
            observed.interruptedPass?.hasOutcome = true
            return nil
        }
        if id != observed.passOf { return "an outcome of \(id), which is not being played" }
        // After playback was requested at the end, a pass without a duration ends immediately.
        if observed.hasOutcome, !transition.setsRate { return "a second outcome of one pass: \(outcome)" }
        if let named = observed.expectedOutcome, named != outcome { return "\(outcome) after \(named)" }
        observed.expectedOutcome = nil
        observed.hasOutcome = true
        switch outcome {
        case .replaced: observed.coverage.replaced += 1
        case .stopped: observed.coverage.stopped += 1
        case .playedToEnd, .failed: break
        }
        return nil
    }

    /// Begins the pass of an item, or of none. Returns what it violates, or nil.
    mutating func beginPass(of id: ItemID?) -> String? {
        defer { (observed.passOf, observed.hasOutcome) = (id, false) }
        guard let old = observed.passOf, !observed.hasOutcome else { return nil }
        return "the pass of \(old) had no outcome"
    }
}

extension PlaybackChange {
    /// The outcome that has to accompany the change.
    fileprivate var outcome: PassOutcome? {
        switch self {
        case .playedToEnd: .playedToEnd
        case .failedToPlayToEnd(_, let error): .failed(error)
        default: nil
        }
    }
}

extension StateWalker.Transition {
    var setsRate: Bool {
        switch event {
        case .setRate, .playImmediately, .restart: true
        // Playback was requested at the end.
        case .endRepeated: before.awaitsRepeatedEnd
        default: false
        }
    }

    var isFirstFrame: Bool { if case .firstFramePresented = event { true } else { false } }
    var isFailure: Bool {
        switch event {
        case .failed, .stuck: true
        default: false
        }
    }
    var isPause: Bool {
        switch event {
        case .setRate(let rate), .playImmediately(let rate): rate == 0 || rate.isNaN
        case .step: false
        default: false
        }
    }
    var isStall: Bool { if case .underrun(before.epoch) = event { before.timelineRate != 0 } else { false } }
}
