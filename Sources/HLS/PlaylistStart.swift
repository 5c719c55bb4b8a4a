/// The preferred start of a presentation (`EXT-X-START`).
package struct PlaylistStart: Hashable, Sendable {
    /// The offset in microseconds from the beginning of the playlist, or if negative from its end (`TIME-OFFSET`).
    package var offset: Int64
    /// Whether playback begins at the offset itself, not at the start of the segment that contains it (`PRECISE`).
    package var isPrecise: Bool
}
