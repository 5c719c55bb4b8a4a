import MediaCore

/// Decrypts a stream of blocks of 16 bytes, in order.
package protocol BlockCipher: AnyObject {
    /// In place; a whole number of blocks.
    func decrypt(_ blocks: UnsafeMutableRawBufferPointer)
}
