extension Sequence<Track> {
    /// Returns the tracks among which a player chooses: the playable ones of a type that are not attached pictures.
    ///
    /// - Parameter type: The type of the tracks.
    package func playable(_ type: MediaType) -> [Track] {
        filter { $0.mediaType == type && $0.isPlayable && !$0.isAttachedPicture }
    }

    /// Returns the one of these tracks that plays without a selection: the first one that the container marks as the
    /// default, or else the first one.
    ///
    /// - Parameter type: The type of the tracks.
    package func defaultTrack(_ type: MediaType) -> Track? {
        let tracks = playable(type)
        return tracks.first(where: \.isDefault) ?? tracks.first
    }
}
