import MediaCore
import PlayheadBackend
import Synchronization

/// Skips packets and frames to save time.
extension DecodeStage {
    /// Returns whether a packet is skipped to save time. Packets that a seek searches are never skipped.
    func mustSkip(_ packet: Packet) -> Bool {
        let request = skipRequest.withLock { $0 }
        let isCurrent = request.epoch == current.epoch && !current.filter.isSearching
        skipper.setRequest(isCurrent ? request : SkipRequest())
        defer { countSkipped() }
        let isReverse = current.collector != nil
        let decision = skipper.decide(packet, pass: current.pass.number, isReverse: isReverse)
        let isDropped = decision == .drop
        let level = skipper.level
        if decision != .decode || level != .none { history.invalidate() }
        if decision == .decodeAfterFlush { flushDecoder() }
        setSkipping(isDropped || !endsBeforeTarget(packet) ? level : max(.nonReference, level))
        // Dropped frames count for the end of the pass, as those that are decoded.
        if isDropped, !isReverse, !packet.isDiscarded, let time = packet.presentationTime, !isPastEnd(time),
            let start = time.nanoseconds
        {
            current.pass.noteEnd(start &+ (packet.duration?.nanoseconds ?? 0))
        }
        return isDropped
    }

    private func setSkipping(_ level: DecodeSkipping) {
        guard level != skipping else { return }
        skipping = level
        decoder.skip(level)
    }

    /// The number of frames that a decoder must have produced before frames may be skipped. From these, it
    /// learns how far presentation order differs from decoding order.
    private static let minimumFramesBeforeSkipping = 4

    /// Returns whether the frame of a packet ends before the seek's target, so that it is needed only as a
    /// reference. It is false for a field, because the times do not show which packet has the other one.
    private func endsBeforeTarget(_ packet: Packet) -> Bool {
        guard current.collector == nil, framesSinceDrain >= Self.minimumFramesBeforeSkipping,
            !packet.isKeyFrame, !packet.isField,
            current.filter.endsBeforeTarget(packet), let target = start.withLock({ $0.firstWanted })
        else { return false }
        history.allowSkipping(before: target)
        return true
    }

    func countSkipped() {
        let dropped = skipper.resetDroppedCount()
        if dropped > 0 { skipped.add(dropped, ordering: .relaxed) }
    }
}
