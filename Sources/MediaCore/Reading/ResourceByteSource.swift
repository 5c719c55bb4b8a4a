/// The bytes of a resource that can refer to others, such as an HLS playlist with its segments and keys.
///
/// The referenced resources are opened with the header fields, limits and credentials of this one. A resource on a
/// server can refer to servers only, and a local file to files in its folder only.
package protocol ResourceByteSource: ByteSource {
    /// The URL, after redirects, or the path. It is the base of relative references.
    var location: String { get }
    /// Whether the resource is a local file.
    var isFile: Bool { get }
    /// The number of bytes received over a network for all readers. It never decreases.
    var receivedBytes: Int64 { get }
    /// Whether all bytes can still be read. False if the server sends its bytes only once and the readers have gone.
    var isReusable: Bool { get }
    /// The media type that the server declares for a live stream, in lower case and without parameters; nil if it
    /// declares none, and for other resources. The default implementation returns nil.
    var liveMediaType: String? { get }
    /// The machine's clock in nanoseconds.
    var now: Int64 { get }
    /// Returns a source for a resource that this one refers to, without performing I/O.
    ///
    /// - Parameters:
    ///   - reference: The reference, absolute or relative to `location`.
    ///   - cachePolicy: Where the bytes may be stored.
    ///   - validatedAfter: A response that the server has validated after this time, by `now`, needs no revalidation.
    ///     With 0, the time is when this source was created.
    /// - Throws: `MediaError` if the reference is not allowed. The first read may throw this error instead.
    func openReferenced(_ reference: String, cachePolicy: CachePolicy, validatedAfter: Int64)
        throws(MediaError) -> any ResourceByteSource
    /// Removes a reader that continues elsewhere. Nothing is fetched or kept for it any more. Its next read adds it
    /// again.
    func removeReader(_ context: ReadContext)
    /// Marks a resource that changes with every request, so that it is not shared.
    func setVolatile()
    /// Wakes a reader after a delay in nanoseconds, unless it has been released by then.
    ///
    /// - Throws: `MediaError` if no timer is available.
    func wake(_ context: ReadContext, after delay: Int64) throws(MediaError)
}

extension ResourceByteSource {
    package var liveMediaType: String? { nil }
}
