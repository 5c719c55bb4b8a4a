import Synchronization

/// The number of players and image generators of the process, which share its cores.
enum PlayerRegistry {
    private static let playerCount = Atomic<Int>(0)
    private static let generatorCount = Atomic<Int>(0)

    static func enter() { playerCount.add(1, ordering: .relaxed) }
    static func leave() { playerCount.subtract(1, ordering: .relaxed) }
    static func enterGenerator() { generatorCount.add(1, ordering: .relaxed) }
    static func leaveGenerator() { generatorCount.subtract(1, ordering: .relaxed) }

    /// The number of players, at least one. Image generators yield to players and do not count.
    static var players: Int { max(1, playerCount.load(ordering: .relaxed)) }
    /// The number of players and image generators, at least one, for an image generator.
    static var all: Int {
        max(1, playerCount.load(ordering: .relaxed) + generatorCount.load(ordering: .relaxed))
    }
}
