import DequeModule
import MediaCore
import PlayheadBackend

/// Begins epochs, and finds the frame that is due at a seek's target.
extension DecodeStage {
    func begin(_ start: EpochStart) {
        let resumption = resumption(at: start)
        current.collector?.discard()
        current = EpochState(start)
        skipper.begin()
        order.reset()
        if let resumption {
            current.resumption = resumption
            if current.shownDistance <= Self.maximumPreviewDistance {
                current.dragDistance = current.shownDistance
            }
            current.filter.begin(at: start.firstWanted, from: history.newestFrame.map(stamped))
            decoder.resume(at: start)
        } else {
            restart(start)
        }
    }

    /// Flushes the decoder for an epoch whose next packet is a sync point.
    func restart(_ start: EpochStart) {
        flush()
        decoder.begin(start)
        showKeptFrame(within: Self.maximumPreviewDistance)
    }

    /// Returns how the decoder continues into the new epoch, or nil if it must be flushed.
    private func resumption(at start: EpochStart) -> DecoderResumption? {
        // If an earlier search has not reached the decoder's position, the decoder has not changed since.
        guard isVideo, !start.isReverse, current.collector == nil, let target = start.firstWanted,
            history.reaches(to: target)
        else { return nil }
        return DecoderResumption(history)
    }

    /// Restarts decoding at the sync point, because the decoder cannot continue after all.
    func restartFromSyncPoint() {
        let start = self.start.withLock { $0 }
        current.backlog = Deque(current.resumption?.skippedElements ?? [])
        current.resumption = nil
        // The skipped elements are noted again.
        order.reset()
        skipper.begin()
        // A newer epoch starts on its own.
        guard start.epoch == current.epoch else { return }
        restart(start)
        current.filter.begin(at: start.firstWanted)
    }

    /// Informs the search for a seek's target about an element.
    func trackSeekTarget(_ element: PacketElement) {
        guard case .packet(let packet, _) = element else {
            order.reset()
            current.filter.noteEnd()
            return resolveSeek()
        }
        order.note(packet)
        guard current.filter.isSearching, current.collector == nil else { return }
        current.filter.note(packet)
        noteQueuedPackets(2)
        resolveSeek()
    }

    private func noteQueuedPackets(_ count: Int) {
        for element in input.prefix(count) {
            switch element {
            case .packet(let packet, _): current.filter.note(packet)
            case .endOfPass: return current.filter.noteEnd()
            }
        }
    }

    /// The number of queued packets that are examined at most to find out which frame is due at a seek's
    /// target.
    private static let seekLookaheadCount = 64

    /// Delivers the frame that is due at a seek's target as soon as the packets identify it.
    func resolveSeek() {
        guard current.filter.mayResolve, order.isReliable else { return }
        noteQueuedPackets(Self.seekLookaheadCount)
        if let frame = current.filter.resolve() { push(frame) }
    }
}
