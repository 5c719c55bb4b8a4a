import MediaCore
import TestSupport
import Testing

@testable import Network

extension ServedFile {
    /// Every byte is right, whatever the first answers were.
    @discardableResult
    static func recovers(
        _ timeout: Double = 5,
        _ change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void
    ) throws -> ServedFile {
        let file = try ServedFile(timeout: timeout, change: change)
        defer { file.server.stop() }
        #expect(try file.read() == file.bytes)
        return file
    }

    /// What is read ends with this error, after so many requests; `more`: and as many more, if fetching ahead was refused
    /// before somebody asked for the byte.
    @discardableResult
    static func fails(
        _ code: MediaError.Code,
        requests: Int,
        more: Int = 0,
        _ timeout: Double = 5,
        _ change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void
    ) throws -> MediaError {
        let file = try ServedFile(timeout: timeout, change: change)
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
