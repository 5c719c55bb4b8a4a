import FoundationEssentials
import Logging
import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Handles reports on the lane of the loop, and enqueues notifications on the callback lane.
extension PlayerCore {
    func handle(_ report: PlaybackReport, _ snapshot: PlaybackSnapshot) {
        // The change is reported before callers that wait for it resume.
        defer { updateEndWaits(for: report.change) }
        loadClaim.set(snapshot.needsData)
        postErrorLogEntry(report, snapshot)
        defer { noteStall(report.change) }
        var sought: PlayerItem?
        switch report.change {
        case .seekCompleted(let id, let finished), .prerollCompleted(let id, let finished):
            let pending = state.withLock { state in
                let pending = state.seeks.removeValue(forKey: id)
                if !state.seeks.values.contains(where: { $0.item != nil }) { state.presented = nil }
                return pending
            }
            sought = pending?.item
            if let completion = pending?.completion { callbacks.enqueue { completion(finished) } }
        case .selectionChanged(let id): clearOutputs(of: id, snapshot)
        case .choiceApplied(let id, let choice): dispatcher.item(id)?.confirmChoice(choice, callbacks)
        case .subtitlesNotOpened(let id): dispatcher.item(id)?.discardSubtitleSwitches(callbacks)
        case .decodingFellBehind, .decodingKeepsUp: logDecoding(report.change, rate: snapshot.rate)
        default: updateQueue(for: report.change)
        }
        let item = snapshot.itemID.flatMap { dispatcher.item($0) }
        if case .itemChanged = report.change, let item {
            device?.setTitle(item.asset.url.lastPathComponent)
        }
        if case .itemChanged(let old?, _) = report.change, let left = dispatcher.item(old) {
            if loop.suspendedItem == old {
                left.suspendLog(snapshot.counters, at: report.host, of: old, in: self)
            } else {
                left.endLog(snapshot.counters, at: report.host, in: self)
            }
        }
        if case .passEnded(let id, let outcome) = report.change,
            outcome != .playedToEnd || snapshot.repeatSetting == .once
        {
            dispatcher.item(id)?.endNotices()
        }
        // An interstitial is played once, whatever the repeat mode is.
        if case .interstitialEnded(let id) = report.change { dispatcher.item(id)?.endNotices() }
        guard let event = dispatcher.event(for: report, sought: sought) else { return }
        let timed = TimedPlayerEvent(
            event: event,
            itemTime: report.itemTime,
            hostTime: report.host,
            item: item
        )
        let isKnown = item?.state.withLock { $0.facts.alreadyContains(report.change, snapshot) } ?? false
        if !isKnown {
            log(event)
            post(timed, snapshot, item, reporting: report.change, about: about(report.change, snapshot))
        }
        guard let item, item.keepLog(report, snapshot, in: self) else { return }
        let entry = TimedPlayerEvent(
            event: .accessLogEntry(item),
            itemTime: report.itemTime,
            hostTime: report.host,
            item: item
        )
        post(entry, snapshot, item)
    }

    /// Returns the queued item that a report concerns while another item is current.
    private func about(_ change: PlaybackChange, _ snapshot: PlaybackSnapshot) -> PlayerItem? {
        guard case .itemFailed(let id, _) = change, id != snapshot.itemID else { return nil }
        return dispatcher.item(id)
    }

    /// Posts the new entry of an error log, before the events that result from the error.
    private func postErrorLogEntry(_ report: PlaybackReport, _ snapshot: PlaybackSnapshot) {
        guard let owner = report.change.failing.flatMap({ dispatcher.item($0) }),
            let entry = owner.keepError(report, snapshot)
        else { return }
        let item = snapshot.itemID.flatMap { dispatcher.item($0) }
        let timed = TimedPlayerEvent(
            event: .errorLogEntry(owner, entry),
            itemTime: report.itemTime,
            hostTime: report.host,
            item: item
        )
        log(timed.event)
        post(timed, snapshot, item)
    }

    /// Posts an event that does not originate from the engine.
    func post(_ event: PlayerEvent, _ loop: PlaybackLoop, _ change: (inout PlayerFacts) -> Void) {
        let now = driver.clock.now
        let snapshot = loop.snapshot
        let item = snapshot.itemID.flatMap { dispatcher.item($0) }
        let timed = TimedPlayerEvent(
            event: event,
            itemTime: snapshot.itemTime(at: now),
            hostTime: now,
            item: item
        )
        post(timed, snapshot, item, change: change)
    }

    private func post(
        _ event: TimedPlayerEvent,
        _ snapshot: PlaybackSnapshot,
        _ item: PlayerItem?,
        reporting reported: PlaybackChange? = nil,
        about other: PlayerItem? = nil,
        change: (inout PlayerFacts) -> Void = { _ in }
    ) {
        let (posted, current) = state.withLock { ($0.posted, [$0.item, $0.primary?.item]) }
        let before = posted?.player?.facts ?? PlayerFacts()
        var after = PlayerFacts(snapshot, item: item, before.settings)
        change(&after)
        let sequence = ObservedSnapshot.nextSequence()
        let view = ObservedSnapshot.View(
            core: ObjectIdentifier(self),
            snapshot: snapshot,
            facts: after,
            current: current.compactMap { $0.map { ObjectIdentifier($0) } }
        )
        var items: [ObservedSnapshot.ItemView] = []
        var itemsBefore: [ItemFacts] = []
        for seen in [item, other].compactMap(\.self) {
            // A report about another item does not change the current one.
            let (before, after) = seen.apply(
                other == nil || seen === other ? reported : nil,
                snapshot,
                sequence
            )
            items.append(ObservedSnapshot.ItemView(item: seen, facts: after))
            itemsBefore.append(before)
        }
        let notification = ChangeNotification(
            event: event,
            before: before,
            itemsBefore: itemsBefore,
            observed: ObservedSnapshot(sequence: sequence, player: view, items: items)
        )
        let isReleased = state.withLock { state in
            if !state.isReleased { state.posted = notification.observed }
            return state.isReleased
        }
        guard !isReleased else { return }
        callbacks.enqueue { [dispatcher] in dispatcher.deliver(notification) }
    }

    /// Logs once when frames start to be dropped and once when all are shown again. At rates above 1 this is not a
    /// warning.
    private func logDecoding(_ change: PlaybackChange, rate: Float) {
        switch change {
        case .decodingFellBehind:
            configuration.logger.log(
                level: abs(rate) > 1 ? .info : .warning,
                "decoding is too slow for rate \(rate): dropping video frames"
            )
        case .decodingKeepsUp(_, let skipped):
            configuration.logger.info("decoding keeps up again: \(skipped) video frames were dropped")
        default: break
        }
    }

    private func log(_ event: PlayerEvent) {
        switch event {
        case .sinkFailed(let error): configuration.logger.error("\(error.message)")
        case .errorLogEntry(_, let entry):
            configuration.logger.log(level: entry.isRecovered ? .warning : .error, "\(entry.error.message)")
        case .loadedTimeRangesChanged: configuration.logger.trace("\(event)")
        default: configuration.logger.debug("\(event)")
        }
    }
}

extension PlaybackChange {
    /// The item that is affected by a loss or a failure.
    fileprivate var failing: ItemID? {
        switch self {
        case .fault(let id, _): id
        case .failedToPlayToEnd(let id, _), .itemFailed(let id, _),
            .itemStatusChanged(let id, .failed), .passEnded(let id, .failed):
            id
        default: nil
        }
    }
}

extension PlayerItem {
    /// Applies a report.
    ///
    /// - Returns: The facts before and after it.
    fileprivate func apply(
        _ change: PlaybackChange?,
        _ snapshot: PlaybackSnapshot,
        _ sequence: UInt64
    ) -> (ItemFacts, ItemFacts) {
        state.withLock { state in
            let before = state.facts
            if let change {
                state.facts.apply(change, snapshot, of: asset)
                state.switches.confirmSubtitles(change, state.facts)
            }
            state.sequence = sequence
            return (before, state.facts)
        }
    }
}
