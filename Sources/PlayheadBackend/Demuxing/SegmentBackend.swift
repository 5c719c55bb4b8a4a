package import MediaCore

/// A backend that can read segmented presentations (HLS).
package protocol SegmentBackend: MediaBackend {
    /// Creates a demuxer whose source, `request.source`, delivers segments.
    func makeSegmentedDemuxer(for request: OpenRequest) -> any SegmentedDemuxer
    /// Creates a cipher for AES-128 in CBC mode.
    ///
    /// - Parameters:
    ///   - key: The key, 16 bytes.
    ///   - iv: The initialization vector, 16 bytes.
    /// - Throws: `MediaError` if the cipher is not available, or if `key` or `iv` has another length.
    func makeCipher(key: [UInt8], iv: [UInt8]) throws(MediaError) -> any BlockCipher
}
