import MediaCore
import PlaybackEngine

/// What holds after each event, whatever came before.
enum StatePromise: String, CaseIterable {
    case pausedIsRateZero = "the rate is 0 if and only if paused"
    case reasonOnlyWhileWaiting = "there is a reason if and only if waiting"
    case pauseStopsAtOnce = "a pause stops the timeline at once"
    case timelineKnows = "the timeline was told its rate"
    case runsAsWanted = "the timeline runs at the wanted rate, in the wanted direction, or stands"
    case playsSomething = "playing has an item that is ready and has landed"
    case neverPlaysOnEmpty = "never playing on an empty buffer"
    case stallKeepsOrDrops = "a stall keeps the rate when waiting is on, and drops it to 0 when it is off"
    case seeksAreNotLost = "a seek without an answer is under way or waiting"
    case oneSeekAtATime = "a new seek answers the one before"
    case failedHasWords = "failed if and only if there is an error, and then nothing is playing"
    case failedIsPaused = "an item that has failed is never waited for: the rate is 0"
    case noItemIsNoItem = "waiting for an item means that there is none"
    case epochsAreNew = "an epoch never comes back"
    case statusNeverGoesBack = "the player's status never goes back to unknown"
    case toldIsTrue = "what was told is what is"
    case interruptedIsPaused = "while it is interrupted the rate is 0"
    case queueHoldsOnce = "an item is current or stands in the queue once"
    case outcomeOncePerPass = "a pass has had its outcome if and only if it has ended or failed"
    case opensOnlyWhatIsNeeded = "open are the current item and at most the next one"

    /// Made once: a million events ask for it.
    static let all = allCases

    /// `item` is the state's, handed in so that it is copied once an event.
    func holds(
        _ state: PlaybackState,
        _ item: ItemState?,
        _ told: StateWalker.Told,
        _ turn: StateWalker.Turn
    ) -> Bool {
        switch self {
        case .pausedIsRateZero: return (state.rate == 0) == (state.timeControl == .paused)
        case .reasonOnlyWhileWaiting:
            return (state.waitReason != nil) == (state.timeControl == .waitingToPlayAtSpecifiedRate)
        case .pauseStopsAtOnce: return !turn.isPause || state.rate == 0 && state.timelineRate == 0
        case .timelineKnows: return told.timelineRate == state.timelineRate
        case .runsAsWanted:
            return state.timelineRate == 0
                || state.timelineRate == state.rate && state.isReverse == (state.rate < 0)
        case .playsSomething:
            guard state.timeControl == .playing else { return true }
            return item?.status == .readyToPlay && item?.hasFirstFrame == true
        case .neverPlaysOnEmpty:
            // Past the end, under `.none`, there is none to come.
            guard state.timeControl == .playing, item?.hasEnded == false else { return true }
            return item?.isStalled == false && item?.level.isEmpty == false
        case .stallKeepsOrDrops:
            guard turn.isStall, item?.isStalled == true else { return true }
            return state.rate == (state.waitsToMinimizeStalling ? turn.before.rate : 0)
                && state.timelineRate == 0
        case .seeksAreNotLost: return told.open.isEmpty || item?.seekTarget != nil
        case .oneSeekAtATime: return told.open.count <= 1
        case .failedHasWords:
            guard item?.status == .failed else { return item?.error == nil }
            return item?.error != nil && state.timelineRate == 0
        case .failedIsPaused: return item?.status != .failed || state.rate == 0
        case .noItemIsNoItem: return state.rate == 0 || (state.waitReason == .noItemToPlay) == (item == nil)
        case .epochsAreNew: return !told.pastEpochs.contains(state.epoch)
        case .statusNeverGoesBack: return turn.before.status == .unknown || state.status != .unknown
        case .toldIsTrue:
            return told.rate == state.rate && told.timeControl == state.timeControl
                && told.waitReason == state.waitReason && told.playerStatus == state.status
                && told.isInterrupted == state.isInterrupted && told.item == item?.id
                && told.itemStatus == item?.status ?? .unknown
        case .interruptedIsPaused: return !state.isInterrupted || state.rate == 0 && state.timelineRate == 0
        case .queueHoldsOnce:
            guard let first = state.upcoming.first else { return true }
            if state.upcoming.count == 1 { return first != item?.id }
            let all = state.upcoming + [item?.id].compactMap(\.self)
            return Set(all).count == all.count
        case .outcomeOncePerPass:
            guard told.mustName == nil, told.passOf == item?.id else { return false }
            guard let item else { return true }
            return told.hasOutcome == (item.hasEnded || item.status == .failed)
        case .opensOnlyWhatIsNeeded:
            if let item, !told.opened.contains(item.id) { return false }
            return told.opened.allSatisfy { $0 == item?.id || $0 == state.upcoming.first }
        }
    }
}
