import MediaCore
import TestSupport
import Testing

@testable import Network

/// Links that are good for a while only. One at a time: each keeps a thread while the program is asked on another, and a machine with two
/// cores has two.
@Suite("Network: links that expire", .serialized, .timeLimit(.minutes(1)))
struct RenewalTests {
    /// A server that refuses /film.mp4 but for its first `good` requests, and has the file at /new.
    private func expiring(
        _ status: Int = 403,
        good: Int = 1,
        urlRefresh: HTTPByteSource.URLRefresh?
    ) throws -> ServedFile {
        var policy = ServedFile.policy
        policy.initialWindow = 60_000
        policy.window = 60_000
        return try ServedFile(policy: policy, urlRefresh: urlRefresh) {
            if $0.path == "/film.mp4", $0.number > good { $1 = FaultServer.Answer(status) }
        }
    }

    /// What the program was told, and how often.
    private final class Program: Sendable {
        let asked = Locked<[MediaError]>([])
        let answer: @Sendable () -> String?

        init(_ answer: @escaping @Sendable () -> String?) { self.answer = answer }

        func renew(_ error: MediaError) -> String? {
            asked.withLock { $0.append(error) }
            return answer()
        }
    }

    @Test(
        "Another one is asked for, once, and reading goes on where it was",
        arguments: [401, 403, 404, 410]
    )
    func renewed(status: Int) throws {
        let place = Locked("")
        let program = Program { place.withLock { $0 } }
        let file = try expiring(status) { program.renew($0) }
        defer { file.server.stop() }
        place.withLock { $0 = file.server.url("/new") }
        #expect(try file.read() == file.bytes)
        #expect(program.asked.withLock { $0.map(\.underlyingCode) } == [Int32(status)])
        let paths = file.server.log.map(\.path)
        #expect(paths.filter { $0 == "/new" }.count >= 4)
        #expect(!paths.drop { $0 == "/film.mp4" }.contains("/film.mp4"))
    }

    @Test("Also where the very first answer is a refusal")
    func fromTheStart() throws {
        let place = Locked("")
        let program = Program { place.withLock { $0 } }
        let file = try expiring(good: 0) { program.renew($0) }
        defer { file.server.stop() }
        place.withLock { $0 = file.server.url("/new") }
        #expect(try file.read() == file.bytes)
        #expect(program.asked.withLock { $0.count } == 1)
    }

    @Test("There is none: the error is the server's")
    func none() throws {
        let program = Program { nil }
        let file = try expiring { program.renew($0) }
        defer { file.server.stop() }
        let error = #expect(throws: MediaError.self) { try file.read() }
        #expect(error?.code == .permissionDenied)
        #expect(program.asked.withLock { $0.count } == 1)
    }

    @Test("The new one is refused too: told, and not asked for ever")
    func refusedToo() throws {
        let place = Locked("")
        let program = Program { place.withLock { $0 } }
        let file = try expiring { program.renew($0) }
        defer { file.server.stop() }
        place.withLock { $0 = file.server.url() }
        let error = #expect(throws: MediaError.self) { try file.read() }
        #expect(error?.code == .permissionDenied)
        #expect(program.asked.withLock { $0.count } == 1)
    }

    @Test("What is no URL is told of")
    func noURL() throws {
        let file = try expiring { _ in "file:///etc/passwd" }
        defer { file.server.stop() }
        let error = #expect(throws: MediaError.self) { try file.read() }
        #expect(error?.code == .invalidArgument)
    }

    @Test("It leads to another file: not one byte of it is taken")
    func otherFile() throws {
        let other = try FaultServer(ServedFile.bytes(299_999, seed: 2))
        defer { other.stop() }
        let link = other.url()
        let file = try expiring { _ in link }
        defer { file.server.stop() }
        let error = #expect(throws: MediaError.self) { try file.read() }
        #expect(error?.code == .resourceChanged)
    }

    @Test("The reader goes while the program is asked")
    func close() async throws {
        let file = try expiring(good: 0) { error in
            // Nobody answers before the source is gone.
            await withCheckedContinuation { (answer: CheckedContinuation<String?, Never>) in
                Self.unanswered.withLock { $0.append(answer) }
            }
        }
        defer { file.server.stop() }
        let source = file.source
        let context = ReadContext()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { buffer.deallocate() }
        #expect(throws: MediaError.self) { try source.read(at: 0, into: buffer, context: context) }
        while Self.unanswered.withLock({ $0.isEmpty }) { await Task.yield() }
        context.cancel()
        for answer in Self.unanswered.withLock({ $0 }) { answer.resume(returning: nil) }
        #expect(throws: MediaError.self) { try source.read(at: 0, into: buffer, context: context) }
    }

    private static let unanswered = Locked<[CheckedContinuation<String?, Never>]>([])
}
