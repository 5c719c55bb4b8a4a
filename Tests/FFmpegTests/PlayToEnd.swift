import Playhead

extension Player {
    /// Plays an item once. Returns at its end, or throws the error that prevented it.
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
