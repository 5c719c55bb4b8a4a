import MediaCore
import PlaybackEngine

extension PlaybackBudget {
    /// The membership of a player in a budget. When it is released, the player leaves the budget, and a suspended item
    /// returns to the player.
    public final class Membership: Sendable {
        private struct State {
            var priority = 0.0
            /// The item that was removed from the player because of a limit.
            var suspended: PlayerItem?
            var isPlaying = false
            var order: UInt64 = 0
            var token: ObservationToken?
            /// The number of late and dropped frames at the last call of `hasFallenBehind()`.
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
            let token = weakPlayer?.onEvent { [weak self] timed in self?.handle(timed.event) }
            state.withLock { $0.token = token }
            budget.decide()
        }

        /// The player, or nil if it has been released.
        public var player: Player? { weakPlayer }

        /// The priority among playing members, and among paused ones. Higher values come first.
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

        /// A Boolean value that indicates whether the player's item was removed because of a limit.
        public var isSuspended: Bool { state.withLock { $0.suspended != nil } }
        /// The item that was removed because of a limit. It returns when the limits allow it, unless the player gets
        /// another item first.
        public var suspendedItem: PlayerItem? { state.withLock { $0.suspended } }

        /// The estimated memory in bytes that the item uses when it is open: twelve frames of its size, for the frame
        /// queue and the decoder's reference frames, plus 4 MB of data that is read ahead. 0 until the asset is loaded.
        public var byteCount: Int { item.map(Self.byteCount) ?? 0 }

        /// The limit in bytes for buffered network data (`Limits.bufferedByteCount`), or nil if only the player's
        /// policy applies.
        public var bufferedByteLimit: Int? { weakPlayer?.core.setting(\.bufferShare)?.byteCount }

        // MARK: For the budget

        // These properties report the present state and not the state of an event, because a decision may be made
        // inside a callback.
        private var openItem: PlayerItem? { weakPlayer?.core.item }
        private var item: PlayerItem? { suspendedItem ?? openItem }
        var threadsPerDecoder: Int? { budget.threadsPerDecoder }
        var hasOpenItem: Bool { openItem != nil }
        var hasVariants: Bool { item.map { $0.asset.variants.count > 1 } ?? false }

        /// The claim of the member, or nil if it has no item.
        var claim: BudgetAllocation.Claim? {
            guard let core = weakPlayer?.core else { return nil }
            // The item belongs to another player now.
            if suspendedItem?.core != nil { withExtendedLifetime(removeSuspendedItem()) {} }
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

        /// Removes and returns the suspended item, because another item is set.
        func removeSuspendedItem() -> PlayerItem? {
            state.withLock { state in
                defer { state.suspended = nil }
                return state.suspended
            }
        }

        func suspend() {
            // Removing the current item of a queue would start the next one.
            guard let player = weakPlayer, !(player is QueuePlayer), hasOpenItem else { return }
            player.core.removeCurrentItem { item in state.withLock { $0.suspended = item } }
        }

        func resume() {
            guard let core = weakPlayer?.core, isSuspended, core.item == nil else { return }
            core.restoreItem {
                state.withLock { state -> PlayerItem? in
                    // Another player may have got the item meanwhile.
                    guard let item = state.suspended, item.core == nil else { return nil }
                    state.suspended = nil
                    return item
                }
            }
        }

        var bufferDemand: Int {
            guard let core = weakPlayer?.core, let item else { return 0 }
            return BufferShare.demand(of: item, core.configuration.buffering)
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

        private func handle(_ event: PlayerEvent) {
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
            let area = tracks.map {
                Double(max(0, $0.naturalSize.width)) * Double(max(0, $0.naturalSize.height))
            }
            // 4:2:0 with 8 bits; higher bit depths are rare where many players run.
            return Int(clamping: Double(frameCount) * 1.5 * (area.max() ?? 0) + Double(readAhead))
        }

        private static let frameCount = 12
        /// 4 MB, as for a local file.
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

    /// Limits the bit rate of variants. 0 removes the limit.
    func limitBitRate(_ bitsPerSecond: Double) {
        let isNew = state.withLock { state in
            defer { state.budgetBitRate = bitsPerSecond }
            return state.budgetBitRate != bitsPerSecond
        }
        if isNew { reconsiderVariants() }
    }
}
