internal import MediaCore

/// The data files of caches that this process has open: beyond a limit, those that were used longest ago are closed. Their entries open
/// them again when they need them.
///
/// Any thread. Its lock is held together with no other.
final class OpenFiles: Sendable {
    private struct Member {
        weak var entry: CacheEntry?
        var lastUse: UInt64
    }

    private struct State {
        var members: [ObjectIdentifier: Member] = [:]
        var uses: UInt64 = 0
    }

    static let shared = OpenFiles(limit: 64)

    let limit: Int
    private let state = Locked(State())

    init(limit: Int) { self.limit = limit }

    /// The entry's file is open, and is used now.
    func markUsed(_ entry: CacheEntry) {
        let idle = state.withLock { state -> [CacheEntry] in
            state.uses += 1
            state.members[ObjectIdentifier(entry)] = Member(entry: entry, lastUse: state.uses)
            guard state.members.count > limit else { return [] }
            let oldest = state.members.sorted { $0.value.lastUse < $1.value.lastUse }
            let excess = oldest.prefix(oldest.count - limit)
            for (key, _) in excess { state.members[key] = nil }
            return excess.compactMap(\.value.entry)
        }
        // One that is being read stays open, and is a member again with its next use.
        for entry in idle { entry.closeFile() }
    }

    /// Its file is closed for good.
    func remove(_ entry: ObjectIdentifier) { state.withLock { $0.members[entry] = nil } }
}
