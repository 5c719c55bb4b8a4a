/// The encryption of a segment (`EXT-X-KEY`).
package enum PlaylistKey: Hashable, Sendable {
    /// AES-128 with the key at `url`. If `iv` is nil, it is the media sequence number.
    case aes128(url: PlaylistReference, iv: [UInt8]?)
    /// The name of an unsupported method.
    case unsupported(String)
}
