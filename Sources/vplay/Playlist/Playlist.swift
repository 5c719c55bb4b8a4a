import MediaCore
import PlayheadCore

/// The entries to play, their order and their repetition.
struct Playlist: Sendable {
    private(set) var entries: [PlaylistEntry] = []
    private var rounds: PlayOptions.Repeat
    /// The index of the entry that `next()` returns.
    private(set) var nextIndex = 0
    /// The number of the current pass through the list, from 1.
    private(set) var round = 1
    private var lastID = -1
    /// The entries that played and have not failed since. If there are none, the list is not repeated, which would never
    /// end, unless it was entered in its middle.
    private var playable: Set<Int> = []
    /// The entries that failed and have not played since.
    private var broken: Set<Int> = []
    /// Whether broken entries are skipped until they change.
    var skipsBroken = false
    /// Whether the list was entered in its middle, and there are entries before that which have not failed and have not
    /// been taken since.
    private var hasSkipped = false
    /// Whether the list was entered at a saved position.
    private var isResumed = false
    /// The seed of the order if the list is shuffled.
    private(set) var seed: UInt64?
    /// The entry that `next()` returned last.
    private var lastTaken: Int?
    /// Whether that entry is the first one of a round that can be played, and has not become the current one.
    private var hasBegunRound = false
    /// The order of the shuffled round before the current one.
    private var pastOrder: [Int] = []

    init(repeats: PlayOptions.Repeat) { rounds = repeats }

    var isLooping: Bool {
        get { rounds == .forever }
        set { rounds = newValue ? .forever : .times(1) }
    }

    func index(of id: Int) -> Int? { entries.firstIndex { $0.id == id } }

    /// Returns the index of an entry in the order of a round in which it was taken: the current one or the one before it.
    /// A shuffled round is arranged while the last entry of the one before it plays.
    func index(of id: Int, inRound round: Int) -> Int? {
        let index = index(of: id)
        guard index != nil, seed != nil, round < self.round else { return index }
        return pastOrder.firstIndex(of: id)
    }

    /// Makes the entry at an index the next one. Indices out of range are clamped; the number of entries is the end.
    mutating func jump(to index: Int) {
        if hasBegunRound, seed == nil { round -= 1 }
        hasBegunRound = false
        nextIndex = min(max(0, index), entries.count)
        hasSkipped =
            nextIndex < entries.count && entries[..<nextIndex].contains { !broken.contains($0.id) }
        isResumed = false
        if nextIndex < entries.count { broken.remove(entries[nextIndex].id) }
    }

    /// Makes the entry of a saved position the next one.
    mutating func resume(at index: Int) {
        jump(to: index)
        isResumed = true
    }

    /// Makes the first entry the next one, because the entry of the saved position and those after it have failed.
    ///
    /// - Returns: False if there are no entries before it that have not been taken since.
    mutating func returnToSkipped() -> Bool {
        guard isResumed, hasSkipped else { return false }
        jump(to: 0)
        return true
    }

    /// Notes that an entry has become the current one.
    mutating func noteStarted(_ id: Int) {
        if id == lastTaken { hasBegunRound = false }
        removeRetired(except: id)
    }

    mutating func notePlayed(_ id: Int) {
        guard let index = index(of: id), !entries[index].isRetired else { return }
        playable.insert(id)
        broken.remove(id)
    }

    mutating func noteFailed(_ id: Int) {
        playable.remove(id)
        if index(of: id) != nil { broken.insert(id) }
    }

    /// Whether there is an entry that can be tried again.
    var isEmpty: Bool { entries.allSatisfy(\.isRetired) }

    /// Makes broken entries play again, from the start of the list.
    mutating func retry() {
        broken = []
        jump(to: 0)
    }

    /// Returns the next entry, or nil at the end of the list.
    mutating func next() -> PlaylistEntry? {
        // The first one of the round may have failed, or another one may have been inserted before it.
        var begins = hasBegunRound
        while true {
            if nextIndex >= entries.count {
                guard !playable.isEmpty || hasSkipped, hasAnotherRound else { return nil }
                hasSkipped = false
                round += 1
                nextIndex = 0
                begins = true
                if seed != nil { pastOrder = entries.map(\.id) }
                arrange()
            }
            guard nextIndex < entries.count else { return nil }
            let entry = entries[nextIndex]
            nextIndex += 1
            if entry.isRetired || (skipsBroken && broken.contains(entry.id)) { continue }
            lastTaken = entry.id
            hasBegunRound = begins
            return entry
        }
    }

    private var hasAnotherRound: Bool {
        switch rounds {
        case .forever: true
        case .times(let times): round < times
        }
    }

    /// Whether the current round is one of those to play. It is not if repeating was switched off when it was taken.
    private var isRoundRequested: Bool {
        switch rounds {
        case .forever: true
        case .times(let times): round <= times
        }
    }

    /// Whether the next entry is the first one of a round, whose order is that of the entries already.
    var hasBegunShuffledRound: Bool { seed != nil && hasBegunRound }

    /// Takes a shuffled round back that has begun, so that the entry that plays is the last one of its round again. Entries
    /// that have been added since follow it.
    mutating func returnToPastRound() {
        guard hasBegunShuffledRound else { return }
        round -= 1
        hasBegunRound = false
        let positions = Dictionary(uniqueKeysWithValues: zip(pastOrder, pastOrder.indices))
        entries.sort { (positions[$0.id] ?? .max, $0.id) < (positions[$1.id] ?? .max, $1.id) }
        nextIndex = entries.count
    }

    /// Whether `next()` begins a round at the end of the list.
    private var isFollowedByRound: Bool {
        // A jump to the end takes a round back that has begun, unless it is shuffled.
        !playable.isEmpty && (hasAnotherRound || hasBegunRound && seed == nil)
    }

    /// Returns the index of the entry that a user reaches from the one that plays, or nil if there is none. The number of
    /// entries is the start of the next round.
    ///
    /// - Parameters:
    ///   - offset: 1 for the next entry, -1 for the previous one.
    ///   - id: The entry that plays. If it has been removed, it was before the next one.
    func index(by offset: Int, from id: Int) -> Int? {
        let index = index(of: id)
        return offset == 1
            ? indexToPlay(from: index.map { $0 + 1 } ?? nextIndex) : self.index(before: index ?? nextIndex)
    }

    /// Returns the index at which playback continues after an entry, or nil at the end. The number of entries is the start
    /// of the next round.
    ///
    /// - Parameter index: The index after that entry, or its own if it has been removed.
    func indexToPlay(from index: Int) -> Int? {
        guard !entries.isEmpty else { return nil }
        if hasBegunShuffledRound { return 0 }
        if index < entries.count { return index }
        return isFollowedByRound ? entries.count : isLooping ? 0 : nil
    }

    private func index(before index: Int) -> Int? {
        if index > 0 { return index - 1 }
        return isLooping ? entries.count - 1 : nil
    }

    /// Returns the index at which an inserted entry follows the one that plays: 0 if none does. If that entry has been
    /// removed, it was before the next one.
    func index(after id: Int?) -> Int {
        guard !hasBegunShuffledRound, let id else { return 0 }
        return index(of: id).map { $0 + 1 } ?? nextIndex
    }

    // MARK: Order

    /// Shuffles the entries in each round.
    mutating func shuffle(seed: UInt64) {
        self.seed = seed
        arrange()
    }

    /// Continues in a round of an earlier session.
    mutating func resume(round: Int, seed: UInt64?) {
        self.round = max(1, round)
        if self.seed != nil, let seed { self.seed = seed }
        arrange()
    }

    /// The round of the entry that plays.
    var currentRound: Int { hasBegunRound ? max(1, round - 1) : round }

    /// Sorts or shuffles the entries for a round, of which nothing has been played.
    private mutating func arrange() {
        guard let seed else { return }
        entries.sort { ($0.input.rank, $0.id) < ($1.input.rank, $1.id) }
        let last = lastTaken.flatMap { index(of: $0) }
        let order = ShuffledOrder.permutation(of: entries.count, seed: seed, lap: round, after: last)
        entries = order.map { entries[$0] }
    }

    // MARK: Changes

    /// Inserts an entry, at the end by default. The next entry stays the same.
    ///
    /// - Returns: The entry.
    @discardableResult
    mutating func insert(
        _ input: Input,
        _ asset: Asset,
        _ options: LoadOptions = LoadOptions(),
        at index: Int? = nil
    ) -> PlaylistEntry {
        insert([(input, asset)], options, at: index)[0]
    }

    /// Inserts entries with the same options, at the end by default. The next entry stays the same.
    ///
    /// - Returns: The entries.
    mutating func insert(
        _ added: [(Input, Asset)],
        _ options: LoadOptions,
        at index: Int?
    ) -> [PlaylistEntry] {
        let new = added.enumerated().map { offset, file in
            PlaylistEntry(id: lastID + 1 + offset, input: file.0, asset: file.1, options: options)
        }
        lastID += new.count
        let index = min(max(0, index ?? entries.count), entries.count)
        entries.insert(contentsOf: new, at: index)
        if index < nextIndex { nextIndex += new.count }
        return new
    }

    /// Inserts inputs that have appeared in a folder: each before the first one of the folder with a higher rank, or at a
    /// random position of the rest of the round if the list is shuffled.
    ///
    /// - Returns: The identifier of the first one.
    @discardableResult
    mutating func merge(_ added: [(Input, Asset)]) -> Int? {
        let isAtStart = nextIndex == 0
        let firstID = lastID + 1
        // The rank of the previous input, and the index after it. A higher one of the same folder is inserted after it,
        // and the entries before need no comparison: thousands of files may appear at once.
        var previous = (rank: InputRank(source: -1, number: 0), end: 0)
        for (input, asset) in added {
            if let seed {
                var generator = SplitMix64(seed &+ UInt64(truncatingIfNeeded: lastID + 1))
                insert(input, asset, at: nextIndex + generator.number(below: entries.count - nextIndex + 1))
            } else {
                let source = input.rank.source
                let isHigher = source == previous.rank.source && previous.rank < input.rank
                let start = isHigher ? previous.end : 0
                let next = entries[start...].firstIndex {
                    $0.input.rank.source == source && input.rank < $0.input.rank
                }
                let index =
                    next
                    ?? entries.lastIndex { $0.input.rank.source == source }.map { $0 + 1 }
                    ?? entries.firstIndex { $0.input.rank.source > source }
                insert(input, asset, at: index)
                previous = (input.rank, (index ?? entries.count - 1) + 1)
            }
        }
        if isAtStart {
            nextIndex = 0
            arrange()
        }
        return added.isEmpty ? nil : firstID
    }

    /// Marks entries whose files have disappeared. They are not played again.
    mutating func retire(_ ids: Set<Int>) {
        for index in entries.indices where ids.contains(entries[index].id) { entries[index].isRetired = true }
        playable.subtract(ids)
        broken.subtract(ids)
    }

    /// Removes the entries that were retired, except one that still plays.
    mutating func removeRetired(except id: Int?) {
        guard entries.contains(where: { $0.isRetired && $0.id != id }) else { return }
        let removed = entries[..<nextIndex].count { $0.isRetired && $0.id != id }
        entries.removeAll { $0.isRetired && $0.id != id }
        nextIndex -= removed
    }

    /// Removes the entry at a valid index. The next entry stays the same, unless it is the one that is removed.
    mutating func remove(at index: Int) {
        let id = entries.remove(at: index).id
        playable.remove(id)
        broken.remove(id)
        if index < nextIndex { nextIndex -= 1 }
    }

    /// Removes all entries except the one with the given identifier, which is followed by the end.
    mutating func removeAll(except id: Int?) {
        entries.removeAll { $0.id != id }
        playable.formIntersection(entries.map(\.id))
        broken.formIntersection(entries.map(\.id))
        nextIndex = entries.count
        hasSkipped = false
        if hasBegunRound { round -= 1 }
        hasBegunRound = false
    }

    /// Moves the entry at a valid index to the position before another index, as mpv's `playlist-move` does. The entry
    /// after `current` becomes the next one, or stays the same if `current` has been removed.
    mutating func move(from index: Int, to target: Int, current id: Int?) {
        let next = entries.indices.contains(nextIndex) ? entries[nextIndex].id : nil
        let entry = entries.remove(at: index)
        let target = min(max(0, target), entries.count + 1)
        entries.insert(entry, at: target > index ? target - 1 : target)
        if let next, let index = self.index(of: next) { nextIndex = index }
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

    /// Makes the entry after the current one the next one, and takes it if it is the one that is queued already.
    ///
    /// - Parameters:
    ///   - id: The current entry.
    ///   - queued: The entry that `next()` returned last, and that is to follow.
    /// - Returns: Whether the queued entry still follows.
    mutating func follow(_ id: Int?, queued: Int?) -> Bool {
        if !hasBegunRound || queued == nil {
            follow(id)
        } else if seed != nil, isRoundRequested {
            // The order of the round has been decided.
            nextIndex = 0
        } else if seed != nil {
            returnToPastRound()
        } else {
            round -= 1
            hasBegunRound = false
            nextIndex = id.flatMap { index(of: $0) }.map { $0 + 1 } ?? entries.count
        }
        guard let queued else { return false }
        let saved = self
        if next()?.id == queued { return true }
        self = saved
        hasBegunRound = seed != nil && saved.hasBegunRound
        return false
    }
}
