/// What the text of a playlist says, its URLs made whole.
package enum Playlist: Hashable, Sendable {
    /// A choice of renderings of the same programme.
    case master(MasterPlaylist)
    /// The segments of one rendering.
    case media(MediaPlaylist)
}
