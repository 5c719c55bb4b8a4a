/// What the players that join may use together: open items, memory, decoding threads, downloads that only prepare.
///
///     PlaybackBudget.shared.limits.openPlayers = 16
///     let membership = PlaybackBudget.shared.join(player)
///
/// When there is not enough for all, the least wanted players are suspended: those that stand before those that play,
/// silent ones before the one that is heard. A suspended player has no current item; its membership keeps the item, with its
/// place, and its asset with what opening has taught. When there is room the item comes back, at that place, and the
/// player's rate stands as it was. The players of a feed are members of `shared`. Any thread; nothing blocks.
public final class PlaybackBudget: Sendable {
    /// How much there is. Nothing is limited by default.
    public struct Limits: Hashable, Sendable {
        /// Members that may have an item open at the same time, each with its decoders. nil: all.
        public var openPlayers: Int?
        /// Bytes that the open items of all members may take, by estimate (`PlaybackBudget.Membership.byteCount`). nil: any.
        public var byteCount: Int?
        /// Threads of the decoders of all members together, at least one for each decoder, whatever
        /// `DecodingPolicy.threadCount` says; a change counts for items that are opened from then on. nil: any.
        public var decoderThreads: Int?
        /// Bits per second that playlists with variants may take, divided among the members that play one. nil: any.
        public var bitRate: Double?

        /// Bytes that all members together may hold of what comes over a network, read ahead and kept behind. It is divided: who
        /// is heard reads as far ahead as its policy has it, then who plays, then who stands, by `Membership.priority`; who has
        /// less stops reading sooner. 256 KB each at least, for without any nobody plays. nil: as the policies have it. Of each
        /// segment of a playlist that is read, or is next, 64 KB may always be there.
        public var bufferedByteCount: Int?

        /// No limits.
        public init() {}
    }

    /// What is used now.
    public struct Usage: Hashable, Sendable {
        /// Members.
        public var players = 0
        /// Those that have an item open.
        public var openPlayers = 0
        /// Those whose item was taken off for lack of room.
        public var suspendedPlayers = 0
        /// Bytes of open items, by estimate.
        public var byteCount = 0
    }

    private struct State {
        var limits = Limits()
        var members: [UInt64: Weak] = [:]
        var ids: UInt64 = 0
        var order: UInt64 = 0
        /// Suspensions are decided, and one thread carries them out.
        var isDeciding = false
        var mustDecideAgain = false
    }

    private struct Weak {
        weak var membership: Membership?
    }

    /// The one of this process.
    public static let shared = PlaybackBudget()

    private let state = Locked(State())

    /// One of its own, for a part of the program that is to have its share and no more.
    public init(limits: Limits = Limits()) { state.withLock { $0.limits = limits } }

    /// A change takes effect at once.
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

    /// A player takes part until its membership is released. It should be a member of one budget only.
    public func join(_ player: Player, priority: Double = 0) -> Membership {
        let id = state.withLock { state in
            state.ids += 1
            return state.ids
        }
        let membership = Membership(player, of: self, id: id, priority: priority)
        state.withLock { $0.members[id] = Weak(membership: membership) }
        membership.begin()
        return membership
    }

    /// Those that there are, the first that joined first.
    public var members: [Membership] {
        state.withLock { $0.members.sorted { $0.key < $1.key }.compactMap(\.value.membership) }
    }

    /// By estimate.
    public var usage: Usage {
        var usage = Usage()
        for member in members {
            usage.players += 1
            if member.isSuspended { usage.suspendedPlayers += 1 }
            guard member.hasOpenItem else { continue }
            usage.openPlayers += 1
            usage.byteCount += member.byteCount
        }
        return usage
    }

    /// Members whose frames have been late, or were left out, since they were asked the last time: more play than the
    /// machine can carry.
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

    /// Threads of one decoder; nil: no limit.
    var threadsOfOne: Int? {
        state.withLock { state in
            state.limits.decoderThreads.map { max(1, $0 / max(1, state.members.count)) }
        }
    }

    /// Suspends and brings back. Asked for while that goes on, in a player's callback too, it is done once more behind.
    /// `always`: also where nothing is limited.
    func decide(always: Bool = false) {
        let isMine = state.withLock { state in
            guard always || state.limits != Limits() else { return false }
            defer { state.isDeciding = true }
            if state.isDeciding { state.mustDecideAgain = true }
            return !state.isDeciding
        }
        guard isMine else { return }
        while true {
            carryOut()
            let isDone = state.withLock { state in
                defer { state.mustDecideAgain = false }
                if !state.mustDecideAgain { state.isDeciding = false }
                return !state.mustDecideAgain
            }
            if isDone { return }
        }
    }

    private func carryOut() {
        let limits = limits
        let wanting = members.compactMap { member in member.claim.map { (member, $0) } }
        let met = BudgetAllocation.met(
            wanting.map(\.1),
            playerCount: limits.openPlayers.map { max(1, $0) },
            byteCount: limits.byteCount
        )
        // First what goes, so that there are never too many.
        for (entry, isMet) in zip(wanting, met) where !isMet { entry.0.suspend() }
        for (entry, isMet) in zip(wanting, met) where isMet { entry.0.resume() }
        let streaming = zip(wanting, met).filter { $0.1 && $0.0.1.isPlaying && $0.0.0.hasVariants }
        let share = limits.bitRate.map { $0 / Double(max(1, streaming.count)) } ?? 0
        for (entry, _) in zip(wanting, met) { entry.0.limitBitRate(share) }
        divideBuffers(zip(wanting, met).filter(\.1).map(\.0), limits.bufferedByteCount)
    }

    private func divideBuffers(_ open: [(Membership, BudgetAllocation.Claim)], _ byteCount: Int?) {
        guard let byteCount else {
            for member in members { member.limitBuffer(nil) }
            return
        }
        let wanted = open.map(\.0.wantedBuffer)
        let shares = BudgetAllocation.shares(
            open.map(\.1),
            wanted: wanted,
            of: byteCount,
            least: BufferShare.least
        )
        var left = Dictionary(uniqueKeysWithValues: members.map { (ObjectIdentifier($0), $0) })
        for (index, (member, _)) in open.enumerated() {
            left[ObjectIdentifier(member)] = nil
            let isWhole = shares[index] >= wanted[index]
            member.limitBuffer(isWhole ? nil : BufferShare(byteCount: shares[index]))
        }
        // What they open next begins with little.
        for member in left.values { member.limitBuffer(BufferShare(byteCount: 0)) }
    }
}
