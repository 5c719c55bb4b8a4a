public import MediaCore

/// What is to be: who has a player, and what that does. A value; two that are equal ask for the same.
public struct FeedPlan<ID: Hashable & Sendable>: Equatable, Sendable {
    /// What a clip has its player for.
    public enum Role: Hashable, Sendable {
        /// The rule chose it.
        case chosen
        /// It is made ready: opened, its first frame decoded.
        case ready
        /// It was chosen before and is still in view; its player stands, and is not wanted elsewhere.
        case held
    }

    /// A clip that has a player.
    public struct Entry: Hashable, Sendable {
        /// Whose player.
        public var id: ID
        /// What for.
        public var role: Role
        /// Why it stands, where the rule chose it.
        public var reasons: FeedPauseReasons = []

        /// Its player's rate is not 0: it plays, or waits for its data.
        public var plays: Bool { role == .chosen && reasons.allowPlaying }
    }

    /// By urgency: the chosen, then those made ready, the next one first, then those held. No more than the pool has.
    public var entries: [Entry] = []
    /// All that the rule chose, also where one cannot be played and has no player.
    public var chosen: [ID] = []
    /// What is made ready loads nothing for now: what plays has not started or needs the bytes, or nobody looks.
    public var isPreloadingSuspended = false
    /// The only one that is heard; nil: silence.
    public var sounding: ID?
    /// Tell the core the time then; nil: it need not be told.
    public var nextDecision: HostTime?

    /// nil: it has no player.
    public func entry(of id: ID) -> Entry? { entries.first { $0.id == id } }
    /// Those whose players are to run.
    public var playing: [ID] { entries.filter(\.plays).map(\.id) }
    /// Those made ready, the next one first.
    public var ready: [ID] { entries.filter { $0.role == .ready }.map(\.id) }
}

/// One difference between a plan and the one before, and why.
public enum FeedChange<ID: Hashable & Sendable>: Hashable, Sendable {
    /// Why a clip has no player any more.
    public enum Reason: String, Hashable, Sendable, CustomStringConvertible {
        /// Its cell is not in the list any more.
        case removed
        /// It went out of view.
        case left
        /// It was made ready, and the list went elsewhere.
        case behind
        /// It cannot be played.
        case failed
        /// Another one needs the player more.
        case room

        public var description: String { rawValue }
    }

    /// Its player runs from now on.
    case play(ID)
    /// Its player stands from now on. Without reasons: it is not the chosen one any more.
    case pause(ID, FeedPauseReasons)
    /// It is the `rank`th of those that are made ready, from 0 on.
    case prepare(ID, rank: Int)
    /// Its player is for others from now on.
    case release(ID, Reason)
}

extension FeedPlan {
    /// What differs from `old`: first what ends, then what begins. `why` tells of one that has no player any more.
    func changes(since old: FeedPlan, why: (Entry) -> FeedChange<ID>.Reason) -> [FeedChange<ID>] {
        var changes: [FeedChange<ID>] = []
        for was in old.entries {
            let entry = entry(of: was.id)
            if was.plays, entry?.plays != true { changes.append(.pause(was.id, entry?.reasons ?? [])) }
            if entry == nil { changes.append(.release(was.id, why(was))) }
        }
        var rank = 0
        for entry in entries {
            let was = old.entry(of: entry.id)
            if entry.plays, was?.plays != true { changes.append(.play(entry.id)) }
            guard entry.role == .ready else { continue }
            if was?.role != .ready { changes.append(.prepare(entry.id, rank: rank)) }
            rank += 1
        }
        return changes
    }
}
