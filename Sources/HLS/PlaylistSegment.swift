/// A media segment.
package struct PlaylistSegment: Hashable, Sendable {
    package var resource: PlaylistResource
    /// The duration in microseconds, the unit of libav.
    package var duration: Int64
    /// The media sequence number. It counts removed segments as well.
    package var sequence: Int64
    /// The discontinuity sequence number. It counts changes of timestamps and formats.
    package var discontinuity: Int64
    /// The media initialization section that precedes the segment (`EXT-X-MAP`).
    package var map: PlaylistResource?
    package var mapKey: PlaylistKey?
    package var key: PlaylistKey?
    /// The date of the start in nanoseconds since the beginning of 1970 (`EXT-X-PROGRAM-DATE-TIME`), or nil if the
    /// playlist declares none.
    package var date: Int64?
    /// Whether the playlist declares that the segment is not available (`EXT-X-GAP`).
    package var isGap = false
}
