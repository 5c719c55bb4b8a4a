/// A resource, or a byte range of it.
package struct PlaylistResource: Hashable, Sendable {
    package var reference: PlaylistReference
    /// The byte range, or nil for the whole resource.
    package var range: Range<Int64>?
    package var url: String { reference.url }
}
