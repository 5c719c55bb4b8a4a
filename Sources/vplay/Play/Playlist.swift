/// The order of the inputs and their repetition.
struct Playlist: Sendable {
    private let count: Int
    private var rounds: PlayOptions.Repeat
    private var nextIndex = 0
    private var round = 1
    /// The inputs that played and have not failed since. If there are none, the list is not repeated, which would never
    /// end.
    private var playable: Set<Int> = []

    init(count: Int, repeats: PlayOptions.Repeat) {
        self.count = count
        rounds = repeats
    }

    var isLooping: Bool {
        get { rounds == .forever }
        set { rounds = newValue ? .forever : .times(1) }
    }

    /// Makes another input the next one.
    mutating func jump(to index: Int) { nextIndex = min(max(0, index), count) }

    mutating func notePlayed(_ index: Int) { playable.insert(index) }
    mutating func noteFailed(_ index: Int) { playable.remove(index) }

    /// Returns the index of the next input, or nil at the end of the list.
    mutating func next() -> Int? {
        if nextIndex == count {
            guard !playable.isEmpty, hasAnotherRound else { return nil }
            round += 1
            nextIndex = 0
        }
        guard nextIndex < count else { return nil }
        defer { nextIndex += 1 }
        return nextIndex
    }

    private var hasAnotherRound: Bool {
        switch rounds {
        case .forever: true
        case .times(let times): round < times
        }
    }
}
