extension Sequence<Track> {
    /// Returns the tracks among which a player chooses: the playable ones of a type that are not attached pictures.
    /// The first one is the default.
    ///
    /// - Parameter type: The type of the tracks.
    package func playable(_ type: MediaType) -> [Track] {
        filter { $0.mediaType == type && $0.isPlayable && !$0.isAttachedPicture }
    }
}
