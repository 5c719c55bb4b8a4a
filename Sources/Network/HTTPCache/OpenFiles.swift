internal import MediaCore

/// The open data files of all caches. Beyond a limit the least recently used ones are closed. Their entries open them
/// again when necessary.
///
/// Thread safe. No other lock is held together with its lock.
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

    /// Records that the file of an entry is open and in use.
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
        // A file that is being read stays open, and is recorded again with its next use.
        for entry in idle { entry.closeFile() }
    }

    /// Removes an entry whose file is closed for good.
    func remove(_ entry: ObjectIdentifier) { state.withLock { $0.members[entry] = nil } }
}
