import MediaCore

/// Limits for all players that join: open items, memory, decoder threads and bit rate.
///
///     PlaybackBudget.shared.limits.openPlayers = 16
///     let membership = PlaybackBudget.shared.join(player)
///
/// If a limit is exceeded, players are suspended: paused players before playing ones, and silent players before the
/// audible one. A suspended player has no current item; its membership keeps the item with its position, and the asset
/// stays loaded. When the limits allow it, the item returns at that position with the player's rate unchanged. A
/// `QueuePlayer` is not suspended, because its next item would start, so its items can exceed a limit. The players of a
/// feed are members of `shared`.
///
/// All members may be used from any thread, and no call blocks.
public final class PlaybackBudget: Sendable {
    /// The limits of a budget. By default nothing is limited.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of members with an open item and its decoders. Nil applies no limit.
        public var openPlayers: Int?
        /// The maximum memory in bytes for the open items of all members, by the estimate of
        /// `PlaybackBudget.Membership.byteCount`. Nil applies no limit.
        public var byteCount: Int?
        /// The maximum number of decoder threads of all members together, at least one for each decoder. It overrides
        /// `DecodingPolicy.threadCount`. A change applies to items that are opened later. Nil applies no limit.
        public var decoderThreads: Int?
        /// The bit rate in bits per second that is divided among the members that play a playlist with variants. Nil
        /// applies no limit.
        public var bitRate: Double?

        /// The maximum memory in bytes for network data of all members together, both read ahead and kept after
        /// playback.
        ///
        /// The memory is shared by need: first the audible player, then other playing ones, then paused ones, each
        /// group by `Membership.priority`. A player with a smaller share reads less far ahead. Each player gets at
        /// least 256 KB, which playback requires. In addition, 64 KB of each playlist segment that is being read or is
        /// next may always be buffered. Nil leaves the amounts to the players' policies.
        public var bufferedByteCount: Int?

        /// Creates limits that limit nothing.
        public init() {}
    }

    /// The current use of a budget.
    public struct Usage: Hashable, Sendable {
        /// The number of members.
        public var players = 0
        /// The number of members with an open item.
        public var openPlayers = 0
        /// The number of suspended members.
        public var suspendedPlayers = 0
        /// The estimated memory of all open items in bytes.
        public var byteCount = 0
    }

    private struct State {
        var limits = Limits()
        var members: [UInt64: WeakReference<Membership>] = [:]
        var ids: UInt64 = 0
        var order: UInt64 = 0
        /// A thread is suspending and resuming members.
        var isDeciding = false
        var mustDecideAgain = false
    }

    /// The budget that all players of the process may share.
    public static let shared = PlaybackBudget()

    private let state = Locked(State())

    /// Creates a separate budget for a part of the application.
    ///
    /// - Parameter limits: The limits of the budget.
    public init(limits: Limits = Limits()) { state.withLock { $0.limits = limits } }

    /// The limits. A change takes effect at once.
    public var limits: Limits {
        get { state.withLock { $0.limits } }
        set {
            let isNew = state.withLock { state in
                defer { state.limits = newValue }
                return state.limits != newValue
            }
            if isNew { decide(always: true) }
        }
    }

    /// Adds a player until its membership is released. A player should be a member of one budget only.
    ///
    /// - Parameters:
    ///   - player: The player, which is not retained.
    ///   - priority: The priority of the player; see `Membership.priority`.
    /// - Returns: The membership, which must be retained.
    public func join(_ player: Player, priority: Double = 0) -> Membership {
        let id = state.withLock { state in
            state.ids += 1
            return state.ids
        }
        let membership = Membership(player, of: self, id: id, priority: priority)
        state.withLock { $0.members[id] = WeakReference(membership) }
        membership.begin()
        return membership
    }

    /// The current members in the order in which they joined.
    public var members: [Membership] {
        state.withLock { $0.members.sorted { $0.key < $1.key }.compactMap(\.value.object) }
    }

    /// The current use, by estimate.
    public var usage: Usage {
        var usage = Usage()
        for member in members {
            usage.players += 1
            if member.isSuspended { usage.suspendedPlayers += 1 }
            guard member.hasOpenItem else { continue }
            usage.openPlayers += 1
            usage.byteCount = usage.byteCount.addingClamped(member.byteCount)
        }
        return usage
    }

    /// Returns the members whose frames have been late or dropped since the last call. The machine cannot play all of
    /// them at once.
    ///
    /// - Returns: The members that have fallen behind.
    public func lateMembers() -> [Membership] { members.filter { $0.hasFallenBehind() } }

    // MARK: For members

    func nextOrder() -> UInt64 {
        state.withLock { state in
            state.order += 1
            return state.order
        }
    }

    func leave(_ id: UInt64) {
        state.withLock { $0.members[id] = nil }
        decide()
    }

    /// The maximum number of threads of one decoder; nil without a limit.
    var threadsPerDecoder: Int? {
        state.withLock { state in
            state.limits.decoderThreads.map { max(1, $0 / max(1, state.members.count)) }
        }
    }

    /// Suspends and resumes members according to the limits. A call during a decision, also from a player's callback,
    /// repeats the decision afterwards.
    ///
    /// - Parameter always: Whether to decide even if nothing is limited.
    func decide(always: Bool = false) {
        let mustRun = state.withLock { state in
            guard always || state.limits != Limits() else { return false }
            defer { state.isDeciding = true }
            if state.isDeciding { state.mustDecideAgain = true }
            return !state.isDeciding
        }
        guard mustRun else { return }
        while true {
            applyDecision()
            let isDone = state.withLock { state in
                defer { state.mustDecideAgain = false }
                if !state.mustDecideAgain { state.isDeciding = false }
                return !state.mustDecideAgain
            }
            if isDone { return }
        }
    }

    private func applyDecision() {
        let limits = limits
        let claims = members.compactMap { member in member.claim.map { (member, $0) } }
        let met = BudgetAllocation.admitted(
            claims.map(\.1),
            playerCount: limits.openPlayers.map { max(1, $0) },
            byteCount: limits.byteCount
        )
        // Suspending first keeps the limits at every moment.
        for (entry, isMet) in zip(claims, met) where !isMet { entry.0.suspend() }
        for (entry, isMet) in zip(claims, met) where isMet { entry.0.resume() }
        let streaming = zip(claims, met).filter { $0.1 && $0.0.1.isPlaying && $0.0.0.hasVariants }
        let share = limits.bitRate.map { $0 / Double(max(1, streaming.count)) } ?? 0
        for (entry, _) in zip(claims, met) { entry.0.limitBitRate(share) }
        divideBuffers(zip(claims, met).filter(\.1).map(\.0), limits.bufferedByteCount)
    }

    private func divideBuffers(_ open: [(Membership, BudgetAllocation.Claim)], _ byteCount: Int?) {
        guard let byteCount else {
            for member in members { member.limitBuffer(nil) }
            return
        }
        let wanted = open.map(\.0.bufferDemand)
        let shares = BudgetAllocation.shares(
            open.map(\.1),
            wanted: wanted,
            of: byteCount,
            minimum: BufferShare.minimumByteCount
        )
        var left = Dictionary(uniqueKeysWithValues: members.map { (ObjectIdentifier($0), $0) })
        for (index, (member, _)) in open.enumerated() {
            left[ObjectIdentifier(member)] = nil
            let isWhole = shares[index] >= wanted[index]
            member.limitBuffer(isWhole ? nil : BufferShare(byteCount: shares[index]))
        }
        // The next item that such a member opens starts with the minimum.
        for member in left.values { member.limitBuffer(BufferShare(byteCount: 0)) }
    }
}
