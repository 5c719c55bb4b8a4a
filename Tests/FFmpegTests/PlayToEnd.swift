import Playhead

extension Player {
    /// Plays an item once, and returns at its end or throws why it was not reached.
    func playToEnd(_ item: PlayerItem) async throws {
        let events = events
        replaceCurrentItem(with: item)
        play()
        for await event in events {
            if case .didPlayToEndTime = event { break }
            if case .failedToPlayToEndTime(_, let error) = event { throw error }
        }
    }
}
