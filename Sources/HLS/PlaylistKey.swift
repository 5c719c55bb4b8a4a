/// How a segment is encrypted (`EXT-X-KEY`).
package enum PlaylistKey: Hashable, Sendable {
    /// The key is at `url`. `iv` nil: the segment's number.
    case aes128(url: String, iv: [UInt8]?)
    /// A method that is not supported, by its name.
    case unsupported(String)
}
