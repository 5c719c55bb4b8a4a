import MediaCore

/// Changes of direction, and steps.
extension PlaybackState {
    /// A Boolean value that indicates whether frames are delivered in the direction opposite to the rate's.
    var mustChangeDirection: Bool {
        guard rate != 0, isReverse != (rate < 0), !isScrubbing, let item else { return false }
        return item.status == .readyToPlay && item.hasFirstFrame && !item.isSeeking && !item.hasPendingSteps
            && (rate > 0 || item.canPlayReverse)
    }

    mutating func reversible(_ id: ItemID) {
        if item?.id == id { item?.canPlayReverse = true }
        if prepared?.id == id { prepared?.canPlayReverse = true }
        if pendingInterstitial?.ready.id == id { pendingInterstitial?.ready.canPlayReverse = true }
    }

    mutating func changeDirection(_ actions: inout [PlaybackAction]) {
        isReverse.toggle()
        epoch = makeEpoch()
        stopTimeline(&actions)
        item?.hasFirstFrame = false
        item?.hasEnded = false
        item?.endError = nil
        item?.isStalled = false
        item?.isReadToEnd = false
        item?.awaitsFrames = false
        switchItem(.positionChanged, &actions)
        actions.append(.setDirection(epoch, isReverse: isReverse))
    }

    /// Pauses and requests `count` steps.
    ///
    /// If the item is still opening, or if a seek or other steps are under way, the steps are performed afterwards.
    /// At the last frame, and backward at the first frame, the position does not change.
    mutating func step(_ count: Int, _ actions: inout [PlaybackAction]) {
        guard count != 0, let item, item.status != .failed else { return }
        rate = 0
        withheldRate = .none
        startsAtOnce = false
        stopTimeline(&actions)
        let sum = item.pendingSteps + max(-Self.maximumSteps, min(Self.maximumSteps, count))
        self.item?.pendingSteps = max(-Self.maximumSteps, min(Self.maximumSteps, sum))
        beginSteps(&actions)
    }

    /// The maximum number of pending steps. It exceeds the number of frames that a user steps through.
    private static let maximumSteps = 1_000_000

    mutating func beginSteps(_ actions: inout [PlaybackAction]) {
        guard let item, item.status == .readyToPlay, item.hasFirstFrame, item.pendingSteps != 0,
            !item.isStepping, !item.isSeeking
        else { return }
        let count = item.pendingSteps
        self.item?.pendingSteps = 0
        guard count > 0 || item.canPlayReverse else { return }
        if isReverse != (count < 0) { changeDirection(&actions) }
        self.item?.isStepping = true
        actions.append(.step(abs(count)))
    }

    /// Completes a step after its last frame has been delivered. If nothing has moved, which happens after the last
    /// frame, an end that had been reached stays reached.
    mutating func stepped(_ epoch: Epoch, hasMoved: Bool, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, item?.isStepping == true else { return }
        item?.isStepping = false
        if hasMoved {
            item?.hasEnded = false
            item?.endError = nil
        }
        beginSteps(&actions)
    }
}

extension ItemState {
    /// A Boolean value that indicates whether steps are under way or pending. Steps precede playback.
    var hasPendingSteps: Bool { isStepping || pendingSteps != 0 }
}
