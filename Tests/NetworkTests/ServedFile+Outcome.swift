import MediaCore
import TestSupport
import Testing

@testable import Network

extension ServedFile {
    /// Expects that reading succeeds despite the faulty responses.
    @discardableResult
    static func recovers(
        _ change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void
    ) throws -> ServedFile {
        let file = try ServedFile(change: change)
        defer { file.server.stop() }
        #expect(try file.read() == file.bytes)
        return file
    }

    /// Expects that reading fails with an error after a number of requests, and up to `more` further ones if reading
    /// ahead failed before the byte was requested.
    @discardableResult
    static func fails(
        _ code: MediaError.Code,
        requests: Int,
        more: Int = 0,
        _ change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void
    ) throws -> MediaError {
        let file = try ServedFile(change: change)
        defer { file.server.stop() }
        let error = try #require(throws: MediaError.self) { try file.read() }
        #expect(error.code == code)
        #expect(!error.isRetryable)
        #expect(error.location == file.source.name)
        #expect((requests...requests + more).contains(file.server.log.count))
        #expect(file.source.fetchCount == 0)
        return error
    }
}
