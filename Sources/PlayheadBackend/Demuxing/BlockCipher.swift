import MediaCore

/// Decrypts a stream of 16-byte blocks in order.
package protocol BlockCipher: AnyObject {
    /// Decrypts blocks in place.
    ///
    /// - Parameter blocks: A whole number of 16-byte blocks.
    func decrypt(_ blocks: UnsafeMutableRawBufferPointer)
}
