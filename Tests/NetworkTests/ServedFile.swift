import MediaCore
import TestSupport

@testable import Network

/// A file on a faulty server, and a source that reads it. The policy has short delays.
struct ServedFile {
    let bytes: [UInt8]
    let server: FaultServer
    let source: HTTPRepresentation

    /// Returns `size` random bytes, so that every part of the file is different.
    static func bytes(_ size: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SplitMix64(seed)
        var bytes: [UInt8] = []
        while bytes.count < size { withUnsafeBytes(of: random.next()) { bytes += $0 } }
        return Array(bytes.prefix(size))
    }

    init(
        size: Int = 300_000,
        path: String = "/film.mp4",
        timeout: Duration = .seconds(5),
        headers: [NetworkOptions.Header] = [],
        policy: HTTPRepresentation.Policy = ServedFile.policy,
        change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void = { _, _ in }
    ) throws {
        let options = NetworkOptions(headers: headers, timeout: timeout)
        try self.init(
            size: size,
            path: path,
            options: options,
            policy: policy,
            urlRefresh: nil,
            change: change
        )
    }

    init(
        size: Int = 300_000,
        path: String = "/film.mp4",
        options: NetworkOptions = NetworkOptions(timeout: .seconds(5)),
        policy: HTTPRepresentation.Policy,
        urlRefresh: HTTPRepresentation.URLRefresh?,
        change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void
    ) throws {
        bytes = Self.bytes(size)
        server = try FaultServer(bytes, change: change)
        source = try HTTPRepresentation(
            url: server.url(path),
            options: options,
            policy: policy,
            urlRefresh: urlRefresh
        )
    }

    /// A policy with a retry delay of a millisecond.
    static var policy: HTTPRepresentation.Policy {
        var policy = HTTPRepresentation.Policy()
        policy.initialRetryDelay = 1_000_000
        // The reads of a test are separate readers.
        policy.lingerTime = 60_000_000_000
        return policy
    }

    /// Reads up to `count` bytes from `offset` on, at most `step` bytes at a time.
    func read(from offset: Int64 = 0, upTo count: Int = .max, step: Int = 40_000) throws(MediaError)
        -> [UInt8]
    {
        try Self.read(source, from: offset, upTo: count, step: step)
    }

    static func read(
        _ source: any ByteSource,
        from offset: Int64 = 0,
        upTo count: Int = .max,
        step: Int = 40_000
    )
        throws(MediaError) -> [UInt8]
    {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: step, alignment: 1)
        defer { buffer.deallocate() }
        let context = ReadContext()
        defer { context.cancel() }
        var result: [UInt8] = []
        while result.count < count {
            let wakes = context.wakeCount
            do throws(MediaError) {
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count - result.count))
                let got = try source.read(at: offset + Int64(result.count), into: part, context: context)
                if got == 0 { break }
                result += part.prefix(got)
            } catch {
                guard error.code == .notReady else { throw error }
                context.wait(after: wakes)
            }
        }
        return result
    }

    /// Reads one byte. Returns nil if it has arrived, or the error: `.notReady` if the context waits for it as a reader
    /// of the source.
    static func readByte(
        _ source: any ByteSource,
        at offset: Int64 = 0,
        _ context: ReadContext
    ) -> MediaError? {
        let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        do throws(MediaError) {
            _ = try source.read(at: offset, into: byte, context: context)
            return nil
        } catch {
            return error
        }
    }

    /// The range of each request as "first-last", or "-" for none.
    var ranges: [String] {
        server.log.map { request in
            request.range.map { "\($0.first)-\($0.last.map { String($0) } ?? "")" } ?? "-"
        }
    }
}
