import Playhead

/// The entries to play, their order and their repetition.
struct Playlist: Sendable {
    private(set) var entries: [PlaylistEntry] = []
    private var rounds: PlayOptions.Repeat
    /// The index of the entry that `next()` returns.
    private var nextIndex = 0
    private var round = 1
    private var lastID = -1
    /// The entries that played and have not failed since. If there are none, the list is not repeated, which would never
    /// end.
    private var playable: Set<Int> = []

    init(repeats: PlayOptions.Repeat) { rounds = repeats }

    var isLooping: Bool {
        get { rounds == .forever }
        set { rounds = newValue ? .forever : .times(1) }
    }

    func index(of id: Int) -> Int? { entries.firstIndex { $0.id == id } }

    /// Makes the entry at an index the next one. Indices out of range are clamped; the number of entries is the end.
    mutating func jump(to index: Int) { nextIndex = min(max(0, index), entries.count) }

    mutating func notePlayed(_ id: Int) { playable.insert(id) }
    mutating func noteFailed(_ id: Int) { playable.remove(id) }

    /// Returns the entry that `next()` returns, or nil at the end of the list, also of one that is repeated.
    func peek() -> PlaylistEntry? { nextIndex < entries.count ? entries[nextIndex] : nil }

    /// Returns the next entry, or nil at the end of the list.
    mutating func next() -> PlaylistEntry? {
        if nextIndex == entries.count {
            guard !playable.isEmpty, hasAnotherRound else { return nil }
            round += 1
            nextIndex = 0
        }
        guard nextIndex < entries.count else { return nil }
        defer { nextIndex += 1 }
        return entries[nextIndex]
    }

    private var hasAnotherRound: Bool {
        switch rounds {
        case .forever: true
        case .times(let times): round < times
        }
    }

    // MARK: Changes

    /// Inserts an entry, at the end by default. The next entry stays the same.
    ///
    /// - Returns: The entry.
    @discardableResult
    mutating func insert(
        _ input: Input,
        _ asset: Asset,
        start: MediaTime? = nil,
        end: MediaTime? = nil,
        at index: Int? = nil
    ) -> PlaylistEntry {
        lastID += 1
        let entry = PlaylistEntry(id: lastID, input: input, asset: asset, start: start, end: end)
        let index = min(max(0, index ?? entries.count), entries.count)
        entries.insert(entry, at: index)
        if index < nextIndex { nextIndex += 1 }
        return entry
    }

    /// Removes the entry at a valid index. The next entry stays the same, unless it is the one that is removed.
    mutating func remove(at index: Int) {
        playable.remove(entries.remove(at: index).id)
        if index < nextIndex { nextIndex -= 1 }
    }

    /// Removes all entries except the one with the given identifier, which is followed by the end.
    mutating func removeAll(except id: Int?) {
        entries.removeAll { $0.id != id }
        playable.formIntersection(entries.map(\.id))
        nextIndex = entries.count
    }

    /// Moves the entry at a valid index to the position before another index, as mpv's `playlist-move` does. The entry
    /// after `current` becomes the next one.
    mutating func move(from index: Int, to target: Int, current id: Int?) {
        let entry = entries.remove(at: index)
        let target = min(max(0, target), entries.count + 1)
        entries.insert(entry, at: target > index ? target - 1 : target)
        follow(id)
    }

    /// Shuffles the entries. The entry after `current` becomes the next one.
    mutating func shuffle(current id: Int?, using generator: inout some RandomNumberGenerator) {
        entries.shuffle(using: &generator)
        follow(id)
    }

    /// Makes the entry after the one with the given identifier the next one.
    mutating func follow(_ id: Int?) {
        if let index = id.flatMap({ index(of: $0) }) { nextIndex = index + 1 }
    }
}
