package import MediaCore

/// Opens the resources of a presentation, with the header fields, limits and credentials of the playlist that refers
/// to them.
package protocol RemoteResourceProvider: Sendable {
    /// Opens a resource without performing I/O.
    ///
    /// - Parameters:
    ///   - url: The URL of the resource.
    ///   - cachePolicy: Where its bytes may be stored.
    ///   - validatedAfter: A response that the server has validated after this time, by `now`, needs no revalidation.
    ///     With 0, the time is when the referring playlist was opened.
    /// - Throws: `MediaError` if the URL is not allowed.
    func open(_ url: String, cachePolicy: CachePolicy, validatedAfter: Int64) throws(MediaError)
        -> any ByteSource
    /// Removes a reader that continues elsewhere. Nothing is fetched or kept for it any more. It may return.
    func release(_ source: any ByteSource, _ context: ReadContext)
    /// Returns true if all bytes can still be read. False if the server sends its bytes only once and the readers
    /// have gone.
    func isReusable(_ source: any ByteSource) -> Bool
    /// Marks a resource that changes with every request, so that it is not shared.
    func setVolatile(_ source: any ByteSource)
    /// The machine's clock in nanoseconds.
    var now: Int64 { get }
    /// Returns the URL after redirects, or nil if there were none. Known after the first response.
    func location(of source: any ByteSource) -> String?
    /// Returns the number of bytes received for all readers.
    func receivedBytes(of source: any ByteSource) -> Int64
    /// Calls `body` after a delay in nanoseconds, on a thread that must not be blocked.
    func call(after delay: Int64, _ body: @escaping @Sendable () -> Void) throws(MediaError)
}
