/// A parsed playlist with absolute URLs.
package enum Playlist: Hashable, Sendable {
    /// A master playlist: the variant streams of one presentation.
    case master(MasterPlaylist)
    /// A media playlist: the segments of one variant stream or rendition.
    case media(MediaPlaylist)

    /// Ends a media playlist as `EXT-X-ENDLIST` does.
    mutating func end() {
        guard case .media(var media) = self else { return }
        media.hasEnded = true
        media.kind = .vod
        self = .media(media)
    }
}
