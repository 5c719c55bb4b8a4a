/// Limits for the size of playlists. Larger ones are rejected before they cost memory and time.
package struct PlaylistLimits: Sendable {
    package var byteCount = 8 << 20
    package var variantCount = 1000
    package var renditionCount = 1000
    package var segmentCount = 100_000
    /// The maximum total length of the resolved URLs of a master playlist, in bytes.
    package var urlByteCount = 16 << 20
    /// The maximum number of audio renditions, counted once for each variant stream that they belong to.
    package var pairCount = 100_000

    package init() {}
}
