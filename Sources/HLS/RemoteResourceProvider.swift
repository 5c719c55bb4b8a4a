package import MediaCore

/// How the parts of a presentation are had: from a network, with the headers, limits and secrets of whatever led to them.
package protocol RemoteResourceProvider: Sendable {
    /// Does no I/O. `kept`: where what comes of it stays. `since`: what its server has said of it since that moment, by `now`, holds; 0:
    /// since whatever led to it was opened.
    func open(_ url: String, cachePolicy: CachePolicy, validatedAfter: Int64) throws(MediaError)
        -> any ByteSource
    /// The reader goes on elsewhere: nothing is fetched or held for it any more. It may come back.
    func release(_ source: any ByteSource, _ context: ReadContext)
    /// All of it is still to be had from it. Not where a server sends its bytes once, in order, and its readers have gone.
    func isReusable(_ source: any ByteSource) -> Bool
    /// It has turned out to be another one each time that it is asked for: nobody else gets what has come of it.
    func setVolatile(_ source: any ByteSource)
    /// Nanoseconds of the machine's clock.
    var now: Int64 { get }
    /// Where a server has led to; nil: where it was opened. Known once the first bytes have come.
    func location(of source: any ByteSource) -> String?
    /// All that has come of it so far, whoever asked for it.
    func receivedBytes(of source: any ByteSource) -> Int64
    /// Calls `body` in so many nanoseconds, on a thread that must not be blocked.
    func call(after delay: Int64, _ body: @escaping @Sendable () -> Void) throws(MediaError)
}
