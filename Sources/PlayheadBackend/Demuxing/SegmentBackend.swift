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
    /// Returns a demuxer that suspends its calls while they wait for bytes, so that they occupy no thread.
    ///
    /// If a notice handler is set, a call that waits throws `.notReady` and continues where it stopped when it
    /// is repeated.
    ///
    /// - Parameters:
    ///   - demuxer: The demuxer to wrap. It must wait for bytes only by calling `wait(_:after:)`.
    ///   - location: The name of the resource.
    func makeDemuxer(suspendable demuxer: any Demuxer, location: String) -> any Demuxer
    /// Waits until a source has woken `context` more than `wakes` times, or until its reader is interrupted.
    ///
    /// In a call of a demuxer that can be suspended, no thread is occupied meanwhile. In any other call, the
    /// current thread waits.
    ///
    /// - Returns: True if the call must be abandoned.
    func wait(_ context: ReadContext, after wakes: UInt64) -> Bool
}
