public import MediaCore

/// The players that a feed needs and what each of them does.
///
/// A plan is a value: two equal plans request the same.
public struct FeedPlan<ID: Hashable & Sendable>: Equatable, Sendable {
    /// The purpose for which a clip has a player.
    public enum Role: Hashable, Sendable {
        /// The rule chose the clip.
        case chosen
        /// The clip is preloaded: it is open and its first frame is decoded.
        case ready
        /// The clip was chosen before and is still visible. Its player is paused and is not needed elsewhere.
        case held
    }

    /// A clip that has a player.
    public struct Entry: Hashable, Sendable {
        /// The identity of the clip.
        public var id: ID
        /// The purpose of the player.
        public var role: Role
        /// The reasons why a chosen clip is not playing.
        public var reasons: FeedPauseReasons = []

        /// A Boolean value that indicates whether the player's rate is not 0. The clip plays or waits for data.
        public var shouldPlay: Bool { role == .chosen && reasons.allowPlaying }

        var isWaiting: Bool { shouldPlay && reasons.contains(.waiting) }
    }

    /// The clips that have players, by descending priority: chosen clips, preloaded clips in the order of travel, then
    /// held clips. There are at most `FeedSettings.poolSize` entries.
    public var entries: [Entry] = []
    /// All clips that the rule chose, including clips that cannot be played and have no player.
    public var chosen: [ID] = []
    /// A Boolean value that indicates whether preloading is suspended, because the playing clips have not started or
    /// need the bandwidth, or because the feed is not visible.
    public var isPreloadingSuspended = false
    /// The only clip that is heard, or nil if none is.
    public var audible: ID?
    /// The time at which the core must be sent `FeedEvent.time`, or nil if that is not needed.
    public var nextDecision: HostTime?

    /// Returns the entry of a clip, or nil if the clip has no player.
    ///
    /// - Parameter id: The identity of the clip.
    /// - Returns: The entry, or nil.
    public func entry(of id: ID) -> Entry? { entries.first { $0.id == id } }
    /// The clips whose players run.
    public var playing: [ID] { entries.filter(\.shouldPlay).map(\.id) }
    /// The preloaded clips, in the order of travel.
    public var ready: [ID] { entries.filter { $0.role == .ready }.map(\.id) }
}

/// A difference between a plan and the previous one.
public enum FeedChange<ID: Hashable & Sendable>: Hashable, Sendable {
    /// The reason why a clip has lost its player.
    public enum Reason: String, Hashable, Sendable, CustomStringConvertible {
        /// The cell was removed from the list.
        case removed
        /// The cell left the view.
        case leftView
        /// The clip was preloaded, and the list moved past it.
        case passed
        /// The clip cannot be played.
        case failed
        /// Another clip needs the player.
        case evicted

        /// The name of the reason.
        public var description: String { rawValue }
    }

    /// The player of a clip starts.
    case play(ID)
    /// The player of a clip pauses. The set of reasons is empty if the clip is no longer chosen.
    case pause(ID, FeedPauseReasons)
    /// A clip is being preloaded. `rank` is its position among the preloaded clips, starting at 0.
    case prepare(ID, rank: Int)
    /// The player of a clip is released for other clips.
    case release(ID, Reason)
    /// A playing clip waits for data, or no longer does.
    case waiting(ID, Bool)
    /// The budget has suspended the player of a clip, or has resumed it. A release also ends a suspension.
    case suspended(ID, Bool)
}

extension FeedPlan {
    /// Returns the changes from `previous` to this plan: pauses and releases first, then starts and preloads. `reason`
    /// returns why a clip has lost its player.
    func changes(since previous: FeedPlan, reason: (Entry) -> FeedChange<ID>.Reason) -> [FeedChange<ID>] {
        var changes: [FeedChange<ID>] = []
        for old in previous.entries {
            let entry = entry(of: old.id)
            if old.shouldPlay, entry?.shouldPlay != true {
                changes.append(.pause(old.id, entry?.reasons ?? []))
            }
            if entry == nil { changes.append(.release(old.id, reason(old))) }
        }
        var rank = 0
        for entry in entries {
            let old = previous.entry(of: entry.id)
            if entry.shouldPlay, old?.shouldPlay != true { changes.append(.play(entry.id)) }
            if entry.isWaiting != (old?.isWaiting ?? false) {
                changes.append(.waiting(entry.id, entry.isWaiting))
            }
            guard entry.role == .ready else { continue }
            if old?.role != .ready { changes.append(.prepare(entry.id, rank: rank)) }
            rank += 1
        }
        return changes
    }
}
