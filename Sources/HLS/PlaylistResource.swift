/// A part of a resource, or all of it.
package struct PlaylistResource: Hashable, Sendable {
    package var url: String
    /// nil: all of it.
    package var range: Range<Int64>?
}
