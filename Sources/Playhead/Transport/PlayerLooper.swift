public import MediaCore
import Observation
import PlaybackEngine
import PlayheadBackend

/// Plays an item, or a range of it, over and over in a queue, without a gap.
///
/// Three copies of the template take turns: the one that has been played goes behind the other two. The
/// template itself never plays, and what is set on it later has no effect. What the queue holds already comes behind
/// them, or before them (`ItemOrdering`). Releasing the looper ends looping as `disableLooping` does, so hold it.
///
/// `status`, `error` and `loopCount` can be observed.
///
/// To loop a whole item `Player.repeatMode` is simpler and opens nothing anew.
public final class PlayerLooper: Sendable {
    /// How looping goes (AVPlayerLooper.Status).
    public enum Status: String, Hashable, Sendable {
        /// No copy is ready yet.
        case unknown
        /// A copy can be played: it loops, or will when its turn has come.
        case ready
        /// It cannot loop; `error` says why.
        case failed
        /// `disableLooping()` was called.
        case cancelled
    }

    /// Where the copies stand in a queue that holds items already.
    public enum ItemOrdering: String, Hashable, Sendable {
        /// The first copy is current at once. What was in the queue, the current item too, waits behind the copies until
        /// looping is disabled, and then goes on from where it was.
        case loopingItemsPrecedeExistingItems
        /// What is in the queue is played first.
        case loopingItemsFollowExistingItems
    }

    private struct State {
        var facts = LooperFacts()
        /// Of the newest that was told.
        var sequence: UInt64 = 0
        /// The copy being played.
        var playing: PlayerItem?
        /// The copy that was being played when the caller took the current item off; it takes its turn again when looping
        /// goes on.
        var left: PlayerItem?
        var watching: ObservationToken?
    }

    private let state = Locked(State())
    let observers = ObserverList()
    let registrar = ObservationRegistrar()
    private let player: QueuePlayer
    private let formerAction: Player.ActionAtItemEnd
    /// The copies, in the order of their first turns. Their position and end belong to the looper.
    public let loopingPlayerItems: [PlayerItem]
    private let start: MediaTime
    private let ordering: ItemOrdering

    /// `timeRange` in item time; nil or one with an invalid time, as `.invalid` has: all of it. A start before zero is
    /// zero, and an end behind the item's, or one that is indefinite, is the item's. A range without a moment of the
    /// item makes a looper whose status is failed: at once where it is empty, or its start is no time, and when the
    /// first copy is ready where it begins at the item's end or behind it.
    public init(
        player: QueuePlayer,
        templateItem: PlayerItem,
        timeRange: MediaTimeRange? = nil,
        existingItemsOrdering ordering: ItemOrdering = .loopingItemsPrecedeExistingItems
    ) {
        self.player = player
        self.ordering = ordering
        formerAction = player.actionAtItemEnd
        let timeRange = timeRange.flatMap { $0.start.isValid && $0.duration.isValid ? $0 : nil }
        let start = max(.zero, timeRange?.start ?? .zero)
        self.start = start
        let isUsable = timeRange.map { $0.end > start && start.isNumeric } ?? true
        let copies = isUsable ? (0..<3).map { _ in templateItem.makeCopy() } : []
        loopingPlayerItems = copies
        for item in copies {
            if let timeRange { item.forwardPlaybackEndTime = timeRange.end }
            rewind(item)
        }
        guard isUsable else {
            let error = Self.nothingToLoop("there is nothing to loop in an empty time range", templateItem)
            state.withLock { state in
                state.facts.status = .failed
                state.facts.error = error
            }
            return
        }
        let watching = player.onEvent { [weak self] in self?.take($0.event) }
        state.withLock { $0.watching = watching }
        player.actionAtItemEnd = .advance
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

    /// Ready once a copy can be played.
    public var status: Status { tracked(\.status) { facts.status } }
    /// Non-nil only when `status` is failed.
    public var error: PlaybackError? { tracked(\.error) { facts.error } }
    /// How often it began anew; 0 during the first pass.
    public var loopCount: Int { tracked(\.loopCount) { facts.loopCount } }

    /// The pass being played goes on to its end, then what was in the queue behind the copies.
    public func disableLooping() {
        ObservedSnapshot.leave()
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
        let current = player.currentItem
        for item in loopingPlayerItems where item !== current { player.remove(item) }
        player.actionAtItemEnd = formerAction
    }

    private func take(_ event: PlayerEvent) {
        switch event {
        case .currentItemChanged(let item): moved(to: item)
        case .itemStatusChanged(let item, let status) where isCopy(item):
            if status == .failed { return end(.failed, item.error) }
            if status == .readyToPlay, item.duration.isNumeric, start >= item.duration, start > .zero {
                // It would come to its end again and again.
                return endForGood(item)
            }
            state.withLock { state in
                guard state.facts.status == .unknown, status == .readyToPlay else { return }
                change(&state) { $0.status = .ready }
            }
        default: break
        }
    }

    /// Nothing of the range is in the item: no copy stays, not even the one that is current.
    private func endForGood(_ item: PlayerItem) {
        end(.failed, Self.nothingToLoop("the time range begins behind the item's end", item))
        for copy in loopingPlayerItems { player.remove(copy) }
    }

    private static func nothingToLoop(_ words: String, _ item: PlayerItem) -> PlaybackError {
        PlaybackError(MediaError(.invalidArgument, words), url: item.asset.url)
    }

    private func isCopy(_ item: PlayerItem) -> Bool { loopingPlayerItems.contains { $0 === item } }

    private func moved(to item: PlayerItem?) {
        let played = state.withLock { state -> PlayerItem? in
            guard state.watching != nil else { return nil }
            let playing = state.playing
            state.playing = item.flatMap { isCopy($0) ? $0 : nil }
            guard item != nil else {
                // What is put into an emptied queue would play.
                state.left = playing ?? state.left
                return nil
            }
            if playing != nil { change(&state) { $0.loopCount += 1 } }
            guard state.playing != nil, let left = state.left else { return playing }
            state.left = nil
            return left
        }
        guard let played else { return }
        rewind(played)
        let precedes = ordering == .loopingItemsPrecedeExistingItems
        player.insert(played, after: precedes ? player.items().last { isCopy($0) } : nil)
    }

    /// Under the lock, so that changes are told in the order in which they come; told behind what led to them.
    private func change(_ state: inout State, _ body: (inout LooperFacts) -> Void) {
        let before = state.facts
        body(&state.facts)
        state.sequence = ObservedSnapshot.nextSequence()
        let after = state.facts
        let moment = ObservedSnapshot(
            sequence: state.sequence,
            looper: ObservedSnapshot.LooperView(looper: self, facts: after)
        )
        player.core.callbacks.enqueue {
            self.observers.tell(ChangeNotification(event: nil, moment: moment))
            moment.during { after.announceChanges(since: before, of: self) }
        }
    }

    /// As the change that is being told has it, or else as it is.
    private var facts: LooperFacts {
        if let view = ObservedSnapshot.current?.looper, view.looper === self { return view.facts }
        return state.withLock { $0.facts }
    }

    private func rewind(_ item: PlayerItem) {
        guard start > .zero else {
            // It may have been left in the middle.
            item.state.withLock { $0.keepPosition(nil) }
            return
        }
        item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero)
    }
}

extension PlayerLooper: Watchable, ObservableSource {
    var callbackLane: (any Lane)? { player.core.callbacks }
    var newestMoment: ObservedSnapshot? {
        let (facts, sequence) = state.withLock { ($0.facts, $0.sequence) }
        return ObservedSnapshot(
            sequence: sequence,
            looper: ObservedSnapshot.LooperView(looper: self, facts: facts)
        )
    }

    /// Like `Player.observe`, on the callback queue of the looper's player, behind the event that led to the change:
    /// `status`, `error`, `loopCount`.
    public func observe<Value: Equatable & Sendable>(
        _ path: any (KeyPath<PlayerLooper, Value> & Sendable),
        options: ObservationOptions = [],
        changeHandler: @escaping @Sendable (PlayerLooper, ObservedChange<Value>) -> Void
    ) -> ObservationToken { watch(path, options, changeHandler) }
}
