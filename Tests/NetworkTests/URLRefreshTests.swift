import Dispatch
import MediaCore
import TestSupport
import Testing

@testable import Network

/// Tests the replacement of URLs that expire. The tests run serially, because each blocks a thread while the
/// application is asked on another one, and a machine with two cores has only two.
@Suite("Replacing expired URLs", .serialized, .timeLimit(.minutes(10)))
struct URLRefreshTests {
    /// A policy whose requests are much smaller than the file.
    private static var policy: HTTPRepresentation.Policy {
        var policy = ServedFile.policy
        policy.initialWindow = 60_000
        policy.window = 60_000
        return policy
    }

    /// Returns a file on a server that rejects /film.mp4 after the first `good` requests and has the file at /new.
    private func expiring(
        _ status: Int = 403,
        good: Int = 1,
        urlRefresh: HTTPRepresentation.URLRefresh?
    ) throws -> ServedFile {
        try ServedFile(policy: Self.policy, urlRefresh: urlRefresh) {
            if $0.path == "/film.mp4", $0.number > good { $1 = FaultServer.Answer(status) }
        }
    }

    /// An application that replaces URLs and records the errors it receives.
    private final class Application: Sendable {
        let requests = Locked<[MediaError]>([])
        let answer: @Sendable () -> String?

        init(_ answer: @escaping @Sendable () -> String?) { self.answer = answer }

        func replaceURL(_ error: MediaError) -> String? {
            requests.withLock { $0.append(error) }
            return answer()
        }
    }

    /// Requests that the server holds until they are released.
    private final class HeldRequests: Sendable {
        private let count = Locked(0)
        private let gate = DispatchSemaphore(value: 0)

        func hold() {
            count.withLock { $0 += 1 }
            gate.wait()
            gate.signal()
        }

        func wait(for expected: Int) async { while count.withLock({ $0 }) < expected { await Task.yield() } }

        func release() { gate.signal() }
    }

    /// Waits for a byte. Returns nil when it has arrived, or the error.
    private static func readByte(
        _ source: HTTPRepresentation,
        at offset: Int64,
        _ context: ReadContext
    ) async -> MediaError? {
        while true {
            let error = ServedFile.readByte(source, at: offset, context)
            guard error?.code == .notReady else { return error }
            await Task.yield()
        }
    }

    @Test(
        "The application is asked once for another URL, and reading continues at the same byte",
        arguments: [401, 403, 404, 410]
    )
    func renewed(status: Int) throws {
        let url = Locked("")
        let application = Application { url.withLock { $0 } }
        let file = try expiring(status) { application.replaceURL($0) }
        defer { file.server.stop() }
        url.withLock { $0 = file.server.url("/new") }
        #expect(try file.read() == file.bytes)
        #expect(application.requests.withLock { $0.map(\.underlyingCode) } == [Int32(status)])
        let paths = file.server.log.map(\.path)
        #expect(paths.filter { $0 == "/new" }.count >= 4)
        #expect(!paths.drop { $0 == "/film.mp4" }.contains("/film.mp4"))
    }

    @Test("A URL that is rejected from the start is replaced")
    func fromTheStart() throws {
        let url = Locked("")
        let application = Application { url.withLock { $0 } }
        let file = try expiring(good: 0) { application.replaceURL($0) }
        defer { file.server.stop() }
        url.withLock { $0 = file.server.url("/new") }
        #expect(try file.read() == file.bytes)
        #expect(application.requests.withLock { $0.count } == 1)
    }

    @Test("Without a replacement the error is that of the server")
    func none() throws {
        let application = Application { nil }
        let file = try expiring { application.replaceURL($0) }
        defer { file.server.stop() }
        let error = #expect(throws: MediaError.self) { try file.read() }
        #expect(error?.code == .permissionDenied)
        #expect(application.requests.withLock { $0.count } == 1)
    }

    @Test("A replacement that is rejected as well is an error")
    func refusedToo() throws {
        let url = Locked("")
        let application = Application { url.withLock { $0 } }
        let file = try expiring { application.replaceURL($0) }
        defer { file.server.stop() }
        url.withLock { $0 = file.server.url() }
        let error = #expect(throws: MediaError.self) { try file.read() }
        #expect(error?.code == .permissionDenied)
        #expect(application.requests.withLock { $0.count } == 1)
    }

    @Test("A replacement that is rejected for several requests is not replaced again")
    func refusedForAll() async throws {
        let url = Locked("")
        let application = Application { url.withLock { $0 } }
        let held = HeldRequests()
        let file = try ServedFile(policy: Self.policy, urlRefresh: application.replaceURL) {
            $1 = FaultServer.Answer(403)
            if $0.path == "/new" { held.hold() }
        }
        defer { file.server.stop() }
        url.withLock { $0 = file.server.url("/new") }
        let readers = [Int64(0), 200_000].map { (context: ReadContext(), offset: $0) }
        defer { for reader in readers { reader.context.cancel() } }
        for (index, reader) in readers.enumerated() {
            let error = ServedFile.readByte(file.source, at: reader.offset, reader.context)
            #expect(error?.code == .notReady)
            await held.wait(for: index + 1)
        }
        held.release()
        for (context, offset) in readers {
            #expect(await Self.readByte(file.source, at: offset, context)?.code == .permissionDenied)
        }
        #expect(application.requests.withLock { $0.count } == 1)
    }

    @Test("A rejected replacement is not replaced again while bytes of the former URL arrive")
    func refusedMeanwhile() async throws {
        let url = Locked("")
        let application = Application { url.withLock { $0 } }
        let held = HeldRequests()
        var policy = Self.policy
        policy.loop = NetworkTime().loop
        let file = try ServedFile(policy: policy, urlRefresh: application.replaceURL) { request, answer in
            if request.range?.first == 0 {
                answer.isPaced = true
                return
            }
            answer = FaultServer.Answer(403)
            if request.path == "/new" { held.hold() }
        }
        defer { file.server.stop() }
        url.withLock { $0 = file.server.url("/new") }
        let (first, second) = (ReadContext(), ReadContext())
        defer { for context in [first, second] { context.cancel() } }
        #expect(ServedFile.readByte(file.source, first)?.code == .notReady)
        file.server.gate.allow(1000)
        while file.source.receivedBytes < 1000 { await Task.yield() }
        #expect(ServedFile.readByte(file.source, at: 200_000, second)?.code == .notReady)
        await held.wait(for: 1)
        file.server.gate.allow(1000)
        while file.source.receivedBytes < 2000 { await Task.yield() }
        held.release()
        #expect(await Self.readByte(file.source, at: 200_000, second)?.code == .permissionDenied)
        #expect(application.requests.withLock { $0.count } == 1)
    }

    @Test("A request from before the same URL was accepted again is repeated")
    func sameURL() async throws {
        let url = Locked("")
        let (requests, numbers) = (Locked(0), Locked<[Int]>([]))
        let gate = DispatchSemaphore(value: 0)
        let file = try ServedFile(
            policy: Self.policy,
            urlRefresh: { _ in
                requests.withLock { $0 += 1 }
                while numbers.withLock({ !$0.contains(2) }) { await Task.yield() }
                return url.withLock { $0 }
            },
            change: { request, answer in
                numbers.withLock { $0.append(request.number) }
                switch request.number {
                case 1: answer = FaultServer.Answer(401)
                case 2:
                    answer = FaultServer.Answer(401)
                    gate.wait()
                // The first request again, so the URL has been replaced.
                case 3: gate.signal()
                default: break
                }
            }
        )
        defer { file.server.stop() }
        url.withLock { $0 = file.server.url() }
        let (first, second) = (ReadContext(), ReadContext())
        defer { for context in [first, second] { context.cancel() } }
        #expect(ServedFile.readByte(file.source, first)?.code == .notReady)
        while numbers.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(ServedFile.readByte(file.source, at: 200_000, second)?.code == .notReady)
        #expect(await Self.readByte(file.source, at: 0, first) == nil)
        #expect(await Self.readByte(file.source, at: 200_000, second) == nil)
        #expect(requests.withLock { $0 } == 1)
    }

    @Test("An invalid replacement is an error")
    func noURL() throws {
        let file = try expiring { _ in "file:///etc/passwd" }
        defer { file.server.stop() }
        let error = #expect(throws: MediaError.self) { try file.read() }
        #expect(error?.code == .invalidArgument)
    }

    @Test("A replacement with another file is a changed resource")
    func otherFile() throws {
        let other = try FaultServer(ServedFile.bytes(299_999, seed: 2))
        defer { other.stop() }
        let link = other.url()
        let file = try expiring { _ in link }
        defer { file.server.stop() }
        let error = #expect(throws: MediaError.self) { try file.read() }
        #expect(error?.code == .resourceChanged)
    }

    /// An object that a closure of the application retains. It uses the pool when it is released.
    private final class Session: Sendable {
        private let pool: HTTPResourcePool
        private let releaseCount: Locked<Int>

        init(_ pool: HTTPResourcePool, _ releaseCount: Locked<Int>) {
            self.pool = pool
            self.releaseCount = releaseCount
        }

        deinit {
            pool.flush()
            releaseCount.withLock { $0 += 1 }
        }

        var url: String? { nil }

        func offerURLs(to source: HTTPRepresentation) { source.offerURLRefresh { _ in self.url } }
    }

    @Test("The closure of the last source is released outside the locks, and the next source sets its own")
    func lastSource() throws {
        let pool = HTTPResourcePool()
        let releaseCount = Locked(0)
        let source = try HTTPByteSource(
            url: "http://127.0.0.1/film.mp4",
            options: NetworkOptions(),
            policy: ServedFile.policy,
            pool
        )
        for number in 1...2 {
            guard case .found(let result) = pool.open(source, after: nil, ReadContext()) else {
                Issue.record("the first source of a resource waits")
                return
            }
            Session(pool, releaseCount).offerURLs(to: result.source)
            #expect(releaseCount.withLock { $0 } == number - 1)
            pool.release(source.resource, result.source)
            #expect(releaseCount.withLock { $0 } == number)
        }
    }

    @Test("The reader is cancelled while the application is asked")
    func close() async throws {
        let file = try expiring(good: 0) { error in
            // The answer comes after the source is closed.
            await withCheckedContinuation { (answer: CheckedContinuation<String?, Never>) in
                Self.unanswered.withLock { $0.append(answer) }
            }
        }
        defer { file.server.stop() }
        let source = file.source
        let context = ReadContext()
        #expect(ServedFile.readByte(source, context) != nil)
        while Self.unanswered.withLock({ $0.isEmpty }) { await Task.yield() }
        context.cancel()
        for answer in Self.unanswered.withLock({ $0 }) { answer.resume(returning: nil) }
        #expect(ServedFile.readByte(source, context) != nil)
    }

    private static let unanswered = Locked<[CheckedContinuation<String?, Never>]>([])
}
