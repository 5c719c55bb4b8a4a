/// Which input comes next.
///
/// A single input is repeated by the player, without a gap; here only lists go round.
struct Playlist: Sendable {
    private let count: Int
    private let rounds: PlayOptions.Repeat
    private var nextIndex = 0
    private var round = 1
    /// Inputs that were played and have not failed since: were there none, going round would never end.
    private var playable: Set<Int> = []

    init(count: Int, repeats: PlayOptions.Repeat) {
        self.count = count
        rounds = count > 1 ? repeats : .times(1)
    }

    mutating func notePlayed(_ index: Int) { playable.insert(index) }
    mutating func noteFailed(_ index: Int) { playable.remove(index) }

    /// nil: all has been played.
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
