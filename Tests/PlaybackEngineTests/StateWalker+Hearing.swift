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
            if case .open = action { told.outcomes = 0 }
        case .close(let id), .discard(let id):
            if told.opened.remove(id) == nil { return "\(id) closed but not open" }
        case .takeOver(let id, let old, let isSeamless):
            if isSeamless { told.seen.seams += 1 }
            if told.opened.remove(old) == nil { return "\(old) closed but not open" }
            if !told.opened.contains(id) { return "\(id) took over but is not open" }
            told.outcomes = 0
        case .beginNextPass:
            told.seen.passes += 1
            told.outcomes = 0
        case .turn:
            told.seen.turns += 1
            told.outcomes = 0
        case .seek, .step: told.outcomes = 0
        case .post(let notice): return hear(notice, turn)
        case .setLooping, .forget, .describe: break
        }
        return nil
    }

    private mutating func hear(_ notice: PlaybackNotice, _ turn: Turn) -> String? {
        switch notice {
        case .playedToEnd, .failedToPlayToEnd:
            // Asked to play on from the end, the end is told again, as AVPlayer does.
            if told.outcomes > 0, !turn.isRate { return "a second outcome of one pass" }
            told.outcomes += 1
            if case .playedToEnd = notice { told.seen.ends += 1 } else { told.seen.failures += 1 }
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
            told.rate = new
        case .timeControlChanged(let status, let reason):
            if status == told.timeControl, reason == told.waitReason { return "told the same status" }
            (told.timeControl, told.waitReason) = (status, reason)
        case .playerStatusChanged(let status): told.playerStatus = status
        case .itemChanged(let old, let new):
            if old != told.item || old == new { return "item changed from \(String(describing: old))" }
            (told.item, told.itemStatus) = (new, .unknown)
        case .itemStatusChanged(let id, let status):
            if id != told.item { return "told of \(id), which is not current" }
            if told.itemStatus == .failed { return "a failed item came back" }
            told.itemStatus = status
        case .itemFailed, .durationChanged, .bufferEmptyChanged, .bufferFullChanged, .likelyToKeepUpChanged,
            .repeatModeChanged, .timeJumped:
            break
        }
        return nil
    }
}

extension StateWalker.Turn {
    var isRate: Bool {
        switch event {
        case .setRate, .playImmediately, .restart: true
        default: false
        }
    }

    var isLanding: Bool { if case .landed = event { true } else { false } }
    var isFailure: Bool { if case .failed = event { true } else { false } }
    var isPause: Bool {
        switch event {
        case .setRate(let rate), .playImmediately(let rate): rate == 0 || rate.isNaN
        case .step: false
        default: false
        }
    }
    var isStall: Bool { if case .ranDry(before.epoch) = event { before.timelineRate != 0 } else { false } }
}
