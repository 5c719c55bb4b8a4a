import MediaCore
import PlaybackEngine

extension PlaybackBudget {
    /// A player's part in a budget; released, the player leaves it, and has its item back where it was suspended.
    public final class Membership: Sendable {
        private struct State {
            var priority = 0.0
            /// Taken off for lack of room.
            var suspended: PlayerItem?
            var isPlaying = false
            var order: UInt64 = 0
            var token: ObservationToken?
            /// Late and left out when `hasFallenBehind` was asked.
            var lateFrames = 0
        }

        private weak let weakPlayer: Player?
        private let budget: PlaybackBudget
        private let id: UInt64
        private let state: Locked<State>

        init(_ player: Player, of budget: PlaybackBudget, id: UInt64, priority: Double) {
            weakPlayer = player
            self.budget = budget
            self.id = id
            state = Locked(State(priority: priority, isPlaying: player.rate != 0, order: budget.nextOrder()))
        }

        deinit {
            resume()
            weakPlayer?.core.leaveBudget()
            budget.leave(id)
        }

        func begin() {
            weakPlayer?.core.join(self)
            let token = weakPlayer?.onEvent { [weak self] timed in self?.take(timed.event) }
            state.withLock { $0.token = token }
            budget.decide()
        }

        /// The player; nil: it is gone.
        public var player: Player? { weakPlayer }

        /// Higher goes first, among those that play and among those that stand.
        public var priority: Double {
            get { state.withLock { $0.priority } }
            set {
                let isNew = state.withLock { state in
                    defer { state.priority = newValue }
                    return state.priority != newValue
                }
                if isNew { budget.decide() }
            }
        }

        /// Its item was taken off for lack of room.
        public var isSuspended: Bool { suspendedItem != nil }
        /// Comes back when there is room, unless the player gets another one before.
        public var suspendedItem: PlayerItem? { state.withLock { $0.suspended } }

        /// Bytes that its item takes when it is open, by estimate: a dozen frames of its size (those that wait to be shown,
        /// and those that its decoder refers to), and what is read ahead. Nothing before the asset is open.
        public var byteCount: Int { item.map(Self.byteCount) ?? 0 }

        /// Bytes that its item may hold of what comes over a network (`Limits.bufferedByteCount`); nil: as its policy has it.
        public var bufferedByteLimit: Int? { weakPlayer?.core.setting(\.bufferShare)?.byteCount }

        // MARK: For the budget

        // As it is, and not as an observer sees it: a decision may be made inside a callback.

        private var openItem: PlayerItem? { weakPlayer?.core.item }
        private var item: PlayerItem? { suspendedItem ?? openItem }
        var threadsOfOne: Int? { budget.threadsOfOne }
        var hasOpenItem: Bool { openItem != nil }
        var hasVariants: Bool { item.map { $0.asset.variants.count > 1 } ?? false }

        /// nil: it wants nothing.
        var claim: BudgetAllocation.Claim? {
            guard let core = weakPlayer?.core else { return nil }
            // Another player has it now.
            if suspendedItem?.core != nil { forget() }
            guard let item else { return nil }
            let isPlaying = core.visibleFacts.rate != 0
            let isNew = state.withLock { state in
                defer { state.isPlaying = isPlaying }
                return state.isPlaying != isPlaying
            }
            if isNew {
                let order = budget.nextOrder()
                state.withLock { $0.order = order }
            }
            return state.withLock { state in
                BudgetAllocation.Claim(
                    isHeard: isPlaying && !core.setting(\.isMuted),
                    isPlaying: isPlaying,
                    priority: state.priority,
                    order: state.order,
                    byteCount: Self.byteCount(of: item)
                )
            }
        }

        /// Somebody has set another item, or none: the suspended one does not come back.
        func forget() {
            let old = state.withLock { state in
                defer { state.suspended = nil }
                return state.suspended
            }
            withExtendedLifetime(old) {}
        }

        func suspend() {
            // A queue would lose what stands behind it.
            guard let player = weakPlayer, !(player is QueuePlayer), let item = openItem else { return }
            state.withLock { $0.suspended = item }
            player.core.replaceItem(with: nil)
        }

        func resume() {
            guard let core = weakPlayer?.core, let item = suspendedItem, item.core == nil, core.item == nil
            else { return }
            forget()
            core.replaceItem(with: item)
        }

        var wantedBuffer: Int {
            guard let core = weakPlayer?.core, let item else { return 0 }
            return BufferShare.wanted(by: item, core.configuration.buffering)
        }

        func limitBuffer(_ share: BufferShare?) { weakPlayer?.core.limitBuffer(share) }

        func limitBitRate(_ bitsPerSecond: Double) { weakPlayer?.core.limitBitRate(bitsPerSecond) }

        func hasFallenBehind() -> Bool {
            guard let counters = weakPlayer?.counters else { return false }
            let late = counters.framesLate + counters.framesDropped
            return state.withLock { state in
                defer { state.lateFrames = late }
                return late > state.lateFrames
            }
        }

        private func take(_ event: PlayerEvent) {
            switch event {
            case .currentItemChanged, .itemStatusChanged, .rateChanged, .mutedChanged,
                .presentationSizeChanged:
                budget.decide()
            default: break
            }
        }

        private static func byteCount(of item: PlayerItem) -> Int {
            let tracks = item.asset.tracks
            guard !tracks.isEmpty else { return 0 }
            let area = tracks.map { max(0, $0.naturalSize.width) * max(0, $0.naturalSize.height) }.max() ?? 0
            // 4:2:0 with eight bits; more bits are rare where there are many players.
            return frameCount * (area / 2 * 3) + readAhead
        }

        private static let frameCount = 12
        /// 4 MB, as of a local file.
        private static let readAhead = 4 << 20
    }
}

extension PlayerCore {
    func join(_ membership: PlaybackBudget.Membership) { state.withLock { $0.membership = membership } }

    func leaveBudget() {
        state.withLock { $0.membership = nil }
        limitBitRate(0)
        limitBuffer(nil)
    }

    /// 0: none.
    func limitBitRate(_ bitsPerSecond: Double) {
        let isNew = state.withLock { state in
            defer { state.budgetBitRate = bitsPerSecond }
            return state.budgetBitRate != bitsPerSecond
        }
        if isNew { reconsiderVariants() }
    }
}
