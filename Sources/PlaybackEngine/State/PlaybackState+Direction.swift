import MediaCore

/// The other direction, and steps.
extension PlaybackState {
    /// Frames are delivered in the direction that nobody wants.
    var mustChangeDirection: Bool {
        guard rate != 0, isReverse != (rate < 0), let item else { return false }
        return item.status == .readyToPlay && item.hasFirstFrame && !item.isMoving && !item.mustStep
            && (rate > 0 || item.canPlayReverse)
    }

    mutating func reversible(_ id: ItemID) {
        if item?.id == id { item?.canPlayReverse = true }
        if prepared?.id == id { prepared?.canPlayReverse = true }
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
        actions.append(.setDirection(epoch, isReverse: isReverse))
    }

    /// Of an item that is being opened, and is known to be ready from an earlier opening, it waits for that; pauses. Behind the last frame, and before the first, it stays. One at a time: what
    /// is asked for meanwhile follows, and so does what is asked for while a seek is under way.
    mutating func step(_ count: Int, _ actions: inout [PlaybackAction]) {
        guard count != 0, let item, item.status != .failed else { return }
        rate = 0
        rateBeforeStall = nil
        rateBeforeInterruption = nil
        rateAtEnd = nil
        startsAtOnce = false
        stopTimeline(&actions)
        let sum = item.stepsWaiting + max(-Self.mostSteps, min(Self.mostSteps, count))
        self.item?.stepsWaiting = max(-Self.mostSteps, min(Self.mostSteps, sum))
        beginSteps(&actions)
    }

    /// More frames than any item has that somebody steps through.
    private static let mostSteps = 1_000_000

    mutating func beginSteps(_ actions: inout [PlaybackAction]) {
        guard let item, item.status == .readyToPlay, item.hasFirstFrame, item.stepsWaiting != 0,
            !item.isStepping, !item.isMoving
        else { return }
        let count = item.stepsWaiting
        self.item?.stepsWaiting = 0
        guard count > 0 || item.canPlayReverse else { return }
        if isReverse != (count < 0) { changeDirection(&actions) }
        self.item?.isStepping = true
        actions.append(.step(abs(count)))
    }

    /// The last frame of a step has been handed out. Where it has not moved, behind the last frame, an end that was
    /// reached is one still.
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
    /// Steps come before playing on.
    var mustStep: Bool { isStepping || stepsWaiting != 0 }
}
