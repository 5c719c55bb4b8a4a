import Synchronization

/// The players of this process: they share its cores.
enum PlayerRegistry {
    private static let count = Atomic<Int>(0)

    static func enter() { count.add(1, ordering: .relaxed) }
    static func leave() { count.subtract(1, ordering: .relaxed) }

    /// How many there are, at least one.
    static var players: Int { max(1, count.load(ordering: .relaxed)) }
}
