public import MediaCore
import Observation
import PlaybackEngine
import PlayheadBackend

/// Plays an item, or a range of it, repeatedly in a queue and without a gap.
///
/// Three copies of the template take turns: a copy that has been played moves after the other two. The template itself
/// is never played, and later changes of its settings have no effect. `ItemOrdering` determines the order of the copies
/// and the items that are in the queue already. Releasing the looper ends looping as `disableLooping()` does, so retain
/// it.
///
/// `status`, `error` and `loopCount` can be observed. To loop a whole item, `Player.repeatMode` is simpler and opens
/// the file only once.
public final class PlayerLooper: Sendable {
    /// The status of looping (AVPlayerLooper.Status).
    public enum Status: String, Hashable, Sendable {
        /// No copy is ready yet.
        case unknown
        /// A copy can be played: looping has started, or will start when the copy's turn comes.
        case ready
        /// Looping is not possible; `error` says why.
        case failed
        /// `disableLooping()` was called.
        case cancelled
    }

    /// The position of the copies in a queue that contains items already.
    public enum ItemOrdering: String, Hashable, Sendable {
        /// The first copy becomes current at once. Existing items, including the current one, follow the copies. They
        /// play after looping is disabled, and the interrupted one continues where it was.
        case loopingItemsPrecedeExistingItems
        /// Existing items play first.
        case loopingItemsFollowExistingItems
    }

    private struct State {
        var facts = LooperFacts()
        /// The sequence number of the newest change.
        var sequence: UInt64 = 0
        /// The copy that is being played.
        var playing: PlayerItem?
        /// The copy that was being played when the caller removed the current item. It takes its turn again when
        /// looping continues.
        var interrupted: PlayerItem?
        var watching: ObservationToken?
    }

    private let state = Locked(State())
    let observers = ObserverList()
    let registrar = ObservationRegistrar()
    private let player: QueuePlayer
    /// The copies in the order of their first turns. Their position and end time are managed by the looper.
    public let loopingPlayerItems: [PlayerItem]
    private let start: MediaTime
    private let ordering: ItemOrdering

    /// Creates a looper, which inserts its copies into the queue.
    ///
    /// A start before zero counts as zero. An end after the item's end, or an indefinite one, counts as the item's end.
    /// If the range contains no part of the item, `status` becomes `.failed`: at once if the range is empty or its
    /// start is not numeric, and when the first copy is ready if the range starts at or after the item's end. The start
    /// that a playlist prefers (`EXT-X-START`) has no effect.
    ///
    /// - Parameters:
    ///   - player: The queue player, which the looper retains.
    ///   - templateItem: The item to copy.
    ///   - timeRange: The range in item time. Nil, or a range with an invalid time, means the whole item.
    ///   - ordering: The position of the copies in a queue that contains items already.
    public init(
        player: QueuePlayer,
        templateItem: PlayerItem,
        timeRange: MediaTimeRange? = nil,
        existingItemsOrdering ordering: ItemOrdering = .loopingItemsPrecedeExistingItems
    ) {
        self.player = player
        self.ordering = ordering
        let timeRange = timeRange.flatMap { $0.start.isValid && $0.duration.isValid ? $0 : nil }
        let start = max(.zero, timeRange?.start ?? .zero)
        self.start = start
        let isUsable = timeRange.map { $0.end > start && start.isNumeric } ?? true
        let copies = isUsable ? (0..<3).map { _ in templateItem.makeCopy() } : []
        loopingPlayerItems = copies
        for item in copies {
            if let timeRange { item.forwardPlaybackEndTime = timeRange.end }
            // Each copy begins at the start of the range, or of the whole item.
            item.state.withLock { $0.beginsAtPreferredStart = false }
            rewind(item)
        }
        guard isUsable else {
            let error = Self.nothingToLoop("the time range is empty", templateItem)
            state.withLock { state in
                state.facts.status = .failed
                state.facts.error = error
            }
            return
        }
        let watching = player.core.dispatcher.observers.add { [weak self] in self?.handle($0) }
        state.withLock { $0.watching = watching }
        player.core.beginLooping()
        insertCopies()
    }

    private func insertCopies() {
        guard ordering == .loopingItemsPrecedeExistingItems, !player.items().isEmpty else {
            for item in loopingPlayerItems { player.insert(item, after: nil) }
            return
        }
        let former = player.currentItem
        player.replaceCurrentItem(with: loopingPlayerItems.first)
        for (last, item) in zip(loopingPlayerItems, loopingPlayerItems.dropFirst()) {
            player.insert(item, after: last)
        }
        if let former { player.insert(former, after: loopingPlayerItems.last) }
    }

    deinit { stop { _ in } }

    /// The status of looping: ready once a copy can be played. The property can be observed.
    public var status: Status { tracked(\.status) { facts.status } }
    /// The reason why `status` is `.failed`; otherwise nil. The property can be observed.
    public var error: PlaybackError? { tracked(\.error) { facts.error } }
    /// The number of times that playback has restarted; 0 during the first pass. The property can be observed.
    public var loopCount: Int { tracked(\.loopCount) { facts.loopCount } }

    /// Ends looping. The current pass plays to its end, followed by the items after the copies.
    public func disableLooping() {
        ObservedSnapshot.discardCurrent()
        end(.cancelled, nil)
    }

    private func end(_ status: Status, _ error: PlaybackError?) {
        stop { state in
            self.change(&state) { facts in
                facts.status = status
                facts.error = error
            }
        }
    }

    private func stop(_ change: (inout State) -> Void) {
        let watching = state.withLock { state in
            defer { state.watching = nil }
            if state.watching != nil { change(&state) }
            return state.watching
        }
        guard watching != nil else { return }
        // During an interstitial, the current pass is that of the interrupted copy.
        let kept = [player.currentItem, player.primaryItem]
        for item in loopingPlayerItems where !kept.contains(item) { player.remove(item) }
        player.core.endLooping()
    }

    private func handle(_ notification: ChangeNotification) {
        switch notification.event?.event {
        case .currentItemChanged(let item)?:
            currentItemDidChange(to: item, notification.observed.player?.current ?? [])
        case .itemStatusChanged(let item, let status)? where isCopy(item):
            if status == .failed { return end(.failed, item.error) }
            if status == .readyToPlay, item.duration.isNumeric, start >= item.duration, start > .zero {
                // The copy would reach its end again and again.
                return failEmptyRange(item)
            }
            state.withLock { state in
                guard state.facts.status == .unknown, status == .readyToPlay else { return }
                change(&state) { $0.status = .ready }
            }
        default: break
        }
    }

    /// Fails because the range contains no part of the item, and removes all copies including the current one.
    private func failEmptyRange(_ item: PlayerItem) {
        end(.failed, Self.nothingToLoop("the time range starts after the end of the item", item))
        for copy in loopingPlayerItems { player.remove(copy) }
    }

    private static func nothingToLoop(_ message: String, _ item: PlayerItem) -> PlaybackError {
        PlaybackError(MediaError(.invalidArgument, message), url: item.asset.url)
    }

    private func isCopy(_ item: PlayerItem) -> Bool { loopingPlayerItems.contains { $0 === item } }

    /// Follows the player to another item.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - current: The current item at the change, and the item that it interrupts. Callbacks may be late, so the
    ///     player may have other ones now.
    private func currentItemDidChange(to item: PlayerItem?, _ current: [ObjectIdentifier]) {
        let played = state.withLock { state -> PlayerItem? in
            guard state.watching != nil else { return nil }
            let playing = state.playing
            // An interstitial interrupts the copy, or the copy continues after it. The interstitial may have been
            // cancelled before its beginning is reported.
            if let playing, item === playing || current.contains(ObjectIdentifier(playing)) { return nil }
            state.playing = item.flatMap { isCopy($0) ? $0 : nil }
            guard item != nil else {
                // An item that is inserted into an empty queue would start to play.
                state.interrupted = playing ?? state.interrupted
                return nil
            }
            // After a time without an item, the next copy that is played follows the interrupted one.
            guard let former = playing ?? (state.playing == nil ? nil : state.interrupted) else { return nil }
            state.interrupted = nil
            change(&state) { $0.loopCount += 1 }
            return former
        }
        guard let played else { return }
        rewind(played)
        let precedes = ordering == .loopingItemsPrecedeExistingItems
        player.insert(played, after: precedes ? player.items().last { isCopy($0) } : nil)
    }

    /// Changes the observable values under the lock, so that changes are delivered in order and after their cause.
    private func change(_ state: inout State, _ body: (inout LooperFacts) -> Void) {
        let before = state.facts
        body(&state.facts)
        state.sequence = ObservedSnapshot.nextSequence()
        let after = state.facts
        let observed = ObservedSnapshot(
            sequence: state.sequence,
            looper: ObservedSnapshot.LooperView(looper: self, facts: after)
        )
        player.core.callbacks.enqueue {
            self.observers.notify(ChangeNotification(event: nil, observed: observed))
            observed.withCurrent { after.announceChanges(since: before, of: self) }
        }
    }

    /// The values at the change that is being delivered, or the present ones.
    private var facts: LooperFacts {
        if let view = ObservedSnapshot.current?.looper, view.looper === self { return view.facts }
        return state.withLock { $0.facts }
    }

    private func rewind(_ item: PlayerItem) {
        guard start > .zero else {
            // The item may have been removed in its middle.
            item.state.withLock { $0.keepPosition(nil) }
            return
        }
        item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero)
    }
}

extension PlayerLooper: Watchable, ObservableSource {
    var callbackLane: (any Lane)? { player.core.callbacks }
    var latestSnapshot: ObservedSnapshot? {
        let (facts, sequence) = state.withLock { ($0.facts, $0.sequence) }
        return ObservedSnapshot(
            sequence: sequence,
            looper: ObservedSnapshot.LooperView(looper: self, facts: facts)
        )
    }

    /// Observes a property by key path, like `Player.observe(_:options:changeHandler:)`. The handler runs on the
    /// callback queue of the looper's player, after the event that caused the change.
    ///
    /// - Parameters:
    ///   - path: The key path of `status`, `error` or `loopCount`.
    ///   - options: The calls and values that the observer requests.
    ///   - changeHandler: Called with the looper and the change.
    /// - Returns: A token that ends the observation when it is invalidated or released.
    public func observe<Value: Equatable & Sendable>(
        _ path: any (KeyPath<PlayerLooper, Value> & Sendable),
        options: ObservationOptions = [],
        changeHandler: @escaping @Sendable (PlayerLooper, ObservedChange<Value>) -> Void
    ) -> ObservationToken { watch(path, options, changeHandler) }
}
