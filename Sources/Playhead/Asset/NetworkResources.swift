import HLS
import MediaCore
import Network

/// Opens the resources that a playlist refers to with the headers, limits and credentials of the playlist.
struct NetworkResources: RemoteResourceProvider {
    private let root: SharedHTTPSource

    init(_ root: SharedHTTPSource) { self.root = root }

    func open(_ url: String, cachePolicy: CachePolicy, validatedAfter: Int64) throws(MediaError)
        -> any ByteSource
    {
        try root.openReferenced(url, cachePolicy: cachePolicy, validatedAfter: validatedAfter)
    }

    func release(_ source: any ByteSource, _ context: ReadContext) {
        (source as? SharedHTTPSource)?.removeReader(context)
    }

    func isReusable(_ source: any ByteSource) -> Bool { (source as? SharedHTTPSource)?.isReusable ?? true }

    func setVolatile(_ source: any ByteSource) { (source as? SharedHTTPSource)?.setVolatile() }

    var now: Int64 { NetworkTimer.now }

    func location(of source: any ByteSource) -> String? {
        (source as? SharedHTTPSource)?.location ?? (source as? HTTPByteSource)?.location
    }

    func receivedBytes(of source: any ByteSource) -> Int64 {
        (source as? SharedHTTPSource)?.receivedBytes ?? (source as? HTTPByteSource)?.receivedBytes ?? 0
    }

    func call(after delay: Int64, _ body: @escaping @Sendable () -> Void) throws(MediaError) {
        try NetworkTimer.call(after: delay, body)
    }
}
