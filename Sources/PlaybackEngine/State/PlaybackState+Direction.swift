import MediaCore

/// The other direction, and steps.
extension PlaybackState {
    /// Frames are delivered in the direction that nobody wants.
    var mustChangeDirection: Bool {
        guard rate != 0, isReverse != (rate < 0), let item else { return false }
        return item.status == .readyToPlay && item.hasFirstFrame && !item.isMoving
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
        actions.append(.setDirection(epoch, isReverse: isReverse))
    }

    /// Legal when the item is ready; pauses. Behind the last frame, and before the first, it stays.
    mutating func step(_ count: Int, _ actions: inout [PlaybackAction]) {
        guard count != 0, let item, item.status == .readyToPlay, !item.isMoving else { return }
        guard count > 0 || item.canPlayReverse else { return }
        rate = 0
        rateBeforeStall = nil
        startsAtOnce = false
        stopTimeline(&actions)
        if isReverse != (count < 0) { changeDirection(&actions) }
        self.item?.hasEnded = false
        self.item?.endError = nil
        actions.append(.step(count.magnitude > UInt(Int.max) ? .max : Int(count.magnitude)))
    }
}
