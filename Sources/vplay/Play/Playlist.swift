/// Which input comes next.
///
/// A single input is repeated by the player, without a gap; here only lists go round.
struct Playlist: Sendable {
    private let count: Int
    private let rounds: PlayOptions.Repeat
    private var nextIndex = 0
    private var round = 1
    /// Something of this round could be played: else going round would never end.
    private var roundIsAlive = false

    init(count: Int, repeats: PlayOptions.Repeat) {
        self.count = count
        rounds = count > 1 ? repeats : .times(1)
    }

    mutating func notePlayed() { roundIsAlive = true }

    /// nil: all has been played.
    mutating func next() -> Int? {
        if nextIndex == count {
            guard roundIsAlive, hasAnotherRound else { return nil }
            round += 1
            roundIsAlive = false
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
