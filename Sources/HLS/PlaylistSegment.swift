package struct PlaylistSegment: Hashable, Sendable {
    package var resource: PlaylistResource
    /// In microseconds, as libav counts.
    package var duration: Int64
    /// Counts segments from the beginning of the presentation, also those that are in the playlist no more.
    package var sequence: Int64
    /// Counts breaks in time stamps and formats.
    package var discontinuity: Int64
    /// What goes before the segment's own bytes.
    package var map: PlaylistResource?
    package var mapKey: PlaylistKey?
    package var key: PlaylistKey?
    /// The server says that it is not there (`EXT-X-GAP`).
    package var isGap = false
}
