/// The entry of a reader among the players and image generators that share the cores of the process.
struct ReaderShare: Sendable {
    /// Enters the reader.
    init() { PlayerRegistry.enterGenerator() }

    /// Removes the reader. Called once.
    func end() { PlayerRegistry.leaveGenerator() }
}
