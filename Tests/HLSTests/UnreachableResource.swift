import MediaCore

@testable import HLS

/// A resource that cannot be read, and whose clock the test moves.
final class UnreachableResource: ResourceByteSource {
    let location: String
    let isFile = false
    let byteCount: Int64? = nil
    let isSeekable = true
    let isReusable = true
    let receivedBytes: Int64 = 0
    private let clock = Locked<Int64>(0)
    var now: Int64 { clock.withLock { $0 } }

    init(location: String = "http://host.test/list.m3u8") { self.location = location }

    func setNow(_ now: Int64) { clock.withLock { $0 = now } }

    func openReferenced(_ reference: String, cachePolicy: CachePolicy, validatedAfter: Int64)
        throws(MediaError) -> any ResourceByteSource
    {
        self
    }
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        throw MediaError(.io, "there is no network in this test")
    }
    func removeReader(_ context: ReadContext) {}
    func setVolatile() {}
    func wake(_ context: ReadContext, after delay: Int64) {}
    func cancel() {}
}
