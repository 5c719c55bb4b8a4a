import MediaCore
import PlaybackEngine

/// Each answer answers a question, and each notice goes on from the one before.
extension StateWalker {
    /// What was broken, or nil.
    mutating func hear(_ action: PlaybackAction, _ turn: Turn) -> String? {
        switch action {
        case .completeSeek(let id, let finished):
            // 0 is the state's own way back to the start, which nobody waits for.
            if id == SeekID(0) { return nil }
            if told.open.remove(id) == nil { return "seek \(id) answered twice or never asked" }
            if finished, !turn.isLanding { return "a seek finished without landing" }
            if finished { told.seen.landings += 1 }
        case .completePreroll(let id, let finished):
            if told.prerolls.remove(id) == nil { return "preroll \(id) answered twice or never asked" }
            if finished, turn.before.rate != 0 { return "a preroll finished while playing" }
        case .setTimelineRate(let rate):
            if rate == told.timelineRate { return "the timeline told what it knows" }
            told.timelineRate = rate
        case .open(let id), .prepare(let id, _):
            if !told.opened.insert(id).inserted { return "\(id) opened twice" }
            if case .open = action {
                told.outcomes = 0
                return beginPass(of: id)
            }
        case .close(let id), .discard(let id):
            if told.opened.remove(id) == nil { return "\(id) closed but not open" }
            if case .close = action { return beginPass(of: nil) }
        case .takeOver(let id, let old, let isSeamless):
            if isSeamless { told.seen.seams += 1 }
            if told.opened.remove(old) == nil { return "\(old) closed but not open" }
            if !told.opened.contains(id) { return "\(id) took over but is not open" }
            told.outcomes = 0
            return beginPass(of: id)
        case .beginNextPass:
            told.seen.passes += 1
            told.outcomes = 0
            return beginPass(of: told.passOf)
        case .setDirection:
            told.seen.turns += 1
            told.outcomes = 0
            told.hasOutcome = false
        case .seek:
            told.outcomes = 0
            told.hasOutcome = false
        case .post(let notice): return hear(notice, turn)
        case .setLooping, .forget, .describe, .step: break
        }
        return nil
    }

    /// A step away from an end, and an end that is moved on, go on with a pass that had its outcome.
    mutating func notePass(_ turn: Turn) {
        guard let old = turn.before.item, let new = state.item, old.id == new.id else { return }
        switch turn.event {
        case .stepped, .endMoved:
            guard old.hasEnded, !new.hasEnded else { return }
            told.outcomes = 0
            told.hasOutcome = false
        // There is nothing behind the end after all.
        case .framesArrived: if !old.hasEnded, new.hasEnded { told.hasOutcome = true }
        default: break
        }
    }

    private mutating func hear(_ notice: PlaybackNotice, _ turn: Turn) -> String? {
        switch notice {
        case .playedToEnd, .failedToPlayToEnd:
            // Asked to play on from the end, the end is told again, as AVPlayer does.
            if told.outcomes > 0, !turn.isRate { return "a second outcome of one pass" }
            told.outcomes += 1
            if case .playedToEnd = notice { told.seen.ends += 1 } else { told.seen.failures += 1 }
            told.mustName = notice.outcome
            if turn.before.timeControl != .playing, !turn.isRate, !turn.isFailure {
                return "an end while \(turn.before.timeControl)"
            }
        case .playbackStalled:
            if turn.before.timeControl != .playing { return "a stall while \(turn.before.timeControl)" }
            told.seen.stalls += 1
        case .rateChanged(let old, let new, let reason):
            if old != told.rate || new == old { return "rate \(old) -> \(new) after \(told.rate)" }
            if reason == .resumedAfterStall, !turn.before.resumesAfterStall { return "resumed unasked" }
            if reason == .resumedAfterStall { told.seen.resumed += 1 }
            if reason == .resumedAfterInterruption {
                if !turn.before.resumesAfterInterruption { return "resumed unasked" }
                told.seen.given += 1
            }
            told.rate = new
        case .timeControlChanged(let status, let reason):
            if status == told.timeControl, reason == told.waitReason { return "told the same status" }
            (told.timeControl, told.waitReason) = (status, reason)
        case .interruptionBegan:
            if told.isInterrupted { return "interrupted twice" }
            told.isInterrupted = true
            told.seen.interruptions += 1
        case .interruptionEnded(let shouldResume):
            if !told.isInterrupted { return "an end of no interruption" }
            if shouldResume, turn.isRate { return "to be resumed although somebody plays" }
            told.isInterrupted = false
        case .playerStatusChanged(let status): told.playerStatus = status
        case .itemChanged(let old, let new):
            if old != told.item || old == new { return "item changed from \(String(describing: old))" }
            (told.item, told.itemStatus) = (new, .unknown)
        case .itemStatusChanged(let id, let status):
            if id != told.item { return "told of \(id), which is not current" }
            if told.itemStatus == .failed { return "a failed item came back" }
            told.itemStatus = status
        case .passEnded(let id, let outcome):
            if let broken = hear(outcome, of: id, turn) { return broken }
        case .itemFailed, .durationChanged, .bufferEmptyChanged, .bufferFullChanged, .likelyToKeepUpChanged,
            .repeatModeChanged, .timeJumped:
            break
        }
        return nil
    }
}

extension StateWalker {
    /// Each pass has one outcome, of the item that was playing, and it is the one that was told of.
    private mutating func hear(_ outcome: PassOutcome, of id: ItemID, _ turn: Turn) -> String? {
        if id != told.passOf { return "an outcome of \(id), which plays no pass" }
        // Asked to play on from the end, a pass without length ends at once.
        if told.hasOutcome, !turn.isRate { return "a second outcome of one pass: \(outcome)" }
        if let named = told.mustName, named != outcome { return "\(outcome) after \(named)" }
        told.mustName = nil
        told.hasOutcome = true
        switch outcome {
        case .replaced: told.seen.replaced += 1
        case .stopped: told.seen.stopped += 1
        case .playedToEnd, .failed: break
        }
        return nil
    }

    /// An item's pass begins; nil: nothing is current. What was broken, or nil.
    mutating func beginPass(of id: ItemID?) -> String? {
        defer { (told.passOf, told.hasOutcome) = (id, false) }
        guard let old = told.passOf, !told.hasOutcome else { return nil }
        return "the pass of \(old) had no outcome"
    }
}

extension PlaybackNotice {
    /// The outcome that must be told with it.
    fileprivate var outcome: PassOutcome? {
        switch self {
        case .playedToEnd: .playedToEnd
        case .failedToPlayToEnd(_, let error): .failed(error)
        default: nil
        }
    }
}

extension StateWalker.Turn {
    var isRate: Bool {
        switch event {
        case .setRate, .playImmediately, .restart: true
        // Asked to play on from the end.
        case .endRepeated: before.rateAtEnd != nil
        default: false
        }
    }

    var isLanding: Bool { if case .firstFramePresented = event { true } else { false } }
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
