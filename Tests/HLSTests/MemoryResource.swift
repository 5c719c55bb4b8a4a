import MediaCore

@testable import HLS

/// A server whose files are in memory.
protocol MemoryServer: Sendable {
    /// The time of the network's clock in nanoseconds.
    var now: Int64 { get }

    /// Returns the content of a file, or nil if there is none.
    func bytes(of location: String) -> [UInt8]?

    /// Returns the error with which a file cannot be opened now, or nil.
    func failure(of location: String) -> MediaError?
}

extension MemoryServer {
    func failure(of location: String) -> MediaError? { nil }
}

/// A file of a server in memory, as it was when it was opened.
final class MemoryResource: ResourceByteSource {
    let location: String
    let isFile = false
    let isSeekable = true
    let isReusable = true
    let receivedBytes: Int64 = 0
    private let server: any MemoryServer
    private let bytes: [UInt8]
    var byteCount: Int64? { Int64(bytes.count) }
    var now: Int64 { server.now }

    init(_ server: any MemoryServer, _ location: String) throws(MediaError) {
        if let failure = server.failure(of: location) { throw failure }
        guard let bytes = server.bytes(of: location) else { throw MediaError(.notFound, "no \(location)") }
        self.server = server
        self.location = location
        self.bytes = bytes
    }

    func openReferenced(_ reference: String, cachePolicy: CachePolicy, validatedAfter: Int64)
        throws(MediaError) -> any ResourceByteSource
    {
        try MemoryResource(server, reference)
    }
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
    func removeReader(_ context: ReadContext) {}
    func setVolatile() {}
    func wake(_ context: ReadContext, after delay: Int64) {}
    func cancel() {}
}
