import Synchronization

/// The players and the makers of stills of this process: they share its cores.
enum PlayerRegistry {
    private static let playerCount = Atomic<Int>(0)
    private static let generatorCount = Atomic<Int>(0)

    static func enter() { playerCount.add(1, ordering: .relaxed) }
    static func leave() { playerCount.subtract(1, ordering: .relaxed) }
    static func enterGenerator() { generatorCount.add(1, ordering: .relaxed) }
    static func leaveGenerator() { generatorCount.subtract(1, ordering: .relaxed) }

    /// How many players there are, at least one. What makes stills gives way to them and does not count.
    static var players: Int { max(1, playerCount.load(ordering: .relaxed)) }
    /// How many there are for one that makes stills: itself is one of them.
    static var all: Int {
        max(1, playerCount.load(ordering: .relaxed) + generatorCount.load(ordering: .relaxed))
    }
}
