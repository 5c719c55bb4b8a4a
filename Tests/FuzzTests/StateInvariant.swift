import MediaCore

@testable import PlaybackEngine

/// The invariants of the state, which hold after every event.
enum StateInvariant: String, CaseIterable {
    case pausedIsRateZero = "the rate is 0 if and only if paused"
    case reasonOnlyWhileWaiting = "there is a waiting reason if and only if the player waits"
    case pauseStopsAtOnce = "a pause stops the timeline at once"
    case timelineRateIsReported = "the timeline's rate has been set by an action"
    case runsAsRequested =
        "the timeline runs at the requested rate and in the requested direction, or is stopped"
    case playsSomething = "during playback there is an item that is ready and has its first frame"
    case neverPlaysOnEmpty = "playback never continues on an empty buffer"
    case stallKeepsOrDrops = "a stall keeps the rate if waiting is enabled, and sets it to 0 otherwise"
    case seeksAreNotLost = "a seek that has not completed is in flight or waiting"
    case oneSeekAtATime = "a new seek completes the previous one"
    case failedHasError = "an item has failed if and only if it has an error, and then nothing is playing"
    case failedIsPaused = "if the item has failed, the rate is 0"
    case noItemIsNoItem = "the player waits for an item if and only if there is none"
    case epochsAreNew = "an epoch is never reused"
    case statusNeverGoesBack = "the player's status never returns to unknown"
    case reportsAreTrue = "the reported state equals the actual state"
    case interruptedIsPaused = "during an interruption the rate is 0"
    case withheldWhilePaused = "a rate is withheld only while the rate is 0, and for a reason that exists"
    case switchesOnlyWhatPlays =
        "the item is open a second time only with a switch point, and while its frames are delivered"
    case awaitsOnlyASwitch = "frames after a moved end are awaited only during a switch"
    case queueHoldsOnce = "an item is current, or in the queue once"
    case outcomeOncePerPass = "a pass has had its outcome if and only if it has ended or failed"
    case opensOnlyWhatIsNeeded =
        "the current item is open, and at most the next one, an interstitial and the item that one interrupted"

    /// All invariants, stored because a million events use them.
    static let all = allCases

    /// Returns whether the invariant holds. `item` is the state's item, passed in so that it is copied once per event.
    func holds(
        _ state: PlaybackState,
        _ item: ItemState?,
        _ observed: StateWalker.Observed,
        _ transition: StateWalker.Transition
    ) -> Bool {
        switch self {
        case .pausedIsRateZero: return (state.rate == 0) == (state.timeControl == .paused)
        case .reasonOnlyWhileWaiting:
            return (state.waitReason != nil) == (state.timeControl == .waitingToPlayAtSpecifiedRate)
        case .pauseStopsAtOnce: return !transition.isPause || state.rate == 0 && state.timelineRate == 0
        case .timelineRateIsReported: return observed.timelineRate == state.timelineRate
        case .runsAsRequested:
            return state.timelineRate == 0
                || state.timelineRate == state.rate && state.isReverse == (state.rate < 0)
        case .playsSomething:
            guard state.timeControl == .playing else { return true }
            return item?.status == .readyToPlay && item?.hasFirstFrame == true
        case .neverPlaysOnEmpty:
            // Past the end, under `.none`, no data is expected.
            guard state.timeControl == .playing, item?.hasEnded == false else { return true }
            return item?.isStalled == false && item?.level.isEmpty == false
        case .stallKeepsOrDrops:
            guard transition.isStall, item?.isStalled == true else { return true }
            return state.rate == (state.waitsToMinimizeStalling ? transition.before.rate : 0)
                && state.timelineRate == 0
        case .seeksAreNotLost:
            return observed.open.isEmpty || item?.seekTarget != nil
                || state.interstitial?.primary?.item.seekTarget != nil
        case .oneSeekAtATime: return observed.open.count <= (state.interstitial?.primary == nil ? 1 : 2)
        case .failedHasError:
            guard item?.status == .failed else { return item?.error == nil }
            return item?.error != nil && state.timelineRate == 0
        case .failedIsPaused: return item?.status != .failed || state.rate == 0
        case .noItemIsNoItem: return state.rate == 0 || (state.waitReason == .noItemToPlay) == (item == nil)
        case .epochsAreNew: return !observed.pastEpochs.contains(state.epoch)
        case .statusNeverGoesBack: return transition.before.status == .unknown || state.status != .unknown
        case .reportsAreTrue:
            return observed.rate == state.rate && observed.timeControl == state.timeControl
                && observed.waitReason == state.waitReason && observed.playerStatus == state.status
                && observed.isInterrupted == state.isInterrupted && observed.item == item?.id
                && observed.itemStatus == item?.status ?? .unknown
        case .interruptedIsPaused: return !state.isInterrupted || state.rate == 0 && state.timelineRate == 0
        case .withheldWhilePaused:
            switch state.withheldRate {
            case .none: return true
            case .stall: return state.rate == 0 && state.resumesAfterStall && !state.isInterrupted
            case .interruption: return state.rate == 0 && state.isInterrupted
            case .failure: return state.rate == 0
            case .end: return state.rate == 0 && item?.hasEnded == true && !state.isInterrupted
            }
        case .switchesOnlyWhatPlays:
            let itemSwitch = state.itemSwitch
            guard observed.hasReplacement == (itemSwitch.target != nil) else { return false }
            if itemSwitch.phase == .idle, !itemSwitch.changes.isEmpty { return false }
            return itemSwitch.target == nil || item?.status == .readyToPlay && item?.hasFirstFrame == true
        case .awaitsOnlyASwitch: return item?.awaitsFrames != true || state.itemSwitch.target != nil
        case .queueHoldsOnce:
            guard let first = state.upcoming.first else { return true }
            if state.upcoming.count == 1 { return first != item?.id }
            let all = state.upcoming + [item?.id].compactMap(\.self)
            return Set(all).count == all.count
        case .outcomeOncePerPass:
            guard observed.expectedOutcome == nil, observed.passOf == item?.id else { return false }
            guard let item else { return true }
            return observed.hasOutcome == (item.hasEnded || item.status == .failed)
        case .opensOnlyWhatIsNeeded:
            if let item, !observed.opened.contains(item.id) { return false }
            let others = [
                state.upcoming.first, state.pendingInterstitial?.ready.id,
                state.interstitial?.primary?.item.id,
            ]
            return observed.opened.allSatisfy { $0 == item?.id || others.contains($0) }
        }
    }
}
