import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// Tests when an asset may reuse the stored response of another one, with a server that changes its files in place.
@Suite(
    "Revalidation of shared responses",
    .timeLimit(.minutes(10))
)
struct RevalidationTests {
    /// A server that fails for a while, and then has other files under the same names.
    private struct Changing {
        enum Phase: Sendable {
            case old, down, new
        }

        let new = ServedFile.bytes(200_000, seed: 2)
        var file: SharedFile
        private let phase = Locked(Phase.old)

        init(_ cache: DiskCache? = nil) throws {
            let (phase, new) = (phase, new)
            file = try SharedFile { request, answer in
                guard !request.path.hasSuffix(".m3u8") else { return }
                switch phase.withLock({ $0 }) {
                case .old: break
                case .down: answer = FaultServer.Answer(503)
                case .new: answer = .file(new, for: request, tag: "\"2\"")
                }
            }
            file.options.cache = cache
        }

        func enter(_ next: Phase) { phase.withLock { $0 = next } }

        /// Opens a playlist as a new asset and reads its first byte.
        func asset() throws -> HTTPByteSource {
            let root = try file.source("/list.m3u8")
            _ = try ServedFile.read(root, upTo: 1)
            return root
        }

        func part(_ root: HTTPByteSource, _ name: String = "part.ts") throws -> [UInt8] {
            try ServedFile.read(try root.openReferenced(name, cachePolicy: .everywhere, validatedAfter: 0))
        }

        func requests(_ path: String = "/part.ts") -> Int { file.server.log.count { $0.path == path } }
    }

    /// Returns a reader that has read the first byte and stays registered.
    private func reader(_ source: HTTPByteSource) throws(MediaError) -> ReadContext {
        let context = ReadContext()
        let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        while true {
            let wakes = context.wakeCount
            do throws(MediaError) {
                _ = try source.read(at: 0, into: byte, context: context)
                return context
            } catch {
                guard error.code == .notReady else { throw error }
                context.wait(after: wakes)
            }
        }
    }

    @Test("A segment that was read while the server was unreachable is revalidated by the next asset")
    func unreachable() throws {
        let served = try Changing()
        defer { served.file.server.stop() }
        #expect(try served.part(try served.asset()) == served.file.bytes)
        let (other, next) = (try served.asset(), try served.asset())
        served.enter(.down)
        #expect(try served.part(other) == served.file.bytes)
        served.enter(.new)
        #expect(try served.part(next) == served.new)
    }

    @Test(
        "A segment whose revalidation was skipped for an unreachable origin is revalidated by the next asset"
    )
    func silent() throws {
        let served = try Changing()
        defer { served.file.server.stop() }
        let first = try served.asset()
        for name in ["part.ts", "other.ts"] { #expect(try served.part(first, name) == served.file.bytes) }
        let (other, next) = (try served.asset(), try served.asset())
        served.enter(.down)
        for name in ["part.ts", "other.ts"] { #expect(try served.part(other, name) == served.file.bytes) }
        #expect(served.requests("/other.ts") == 1)
        served.enter(.new)
        #expect(try served.part(next, "other.ts") == served.new)
    }

    @Test("A file that is read without validation is revalidated by a source that joins")
    func file() async throws {
        try await TemporaryFolder.use { path in
            let served = try Changing(DiskCache(directory: URL(fileURLWithPath: path + "/cache")))
            defer { served.file.server.stop() }
            #expect(try ServedFile.read(try served.file.source()) == served.file.bytes)
            await served.file.flush()
            served.file.evictAllUnused()
            served.enter(.down)
            let source = try served.file.source()
            let context = try reader(source)
            defer { context.cancel() }
            served.enter(.new)
            #expect(try ServedFile.read(try served.file.source()) == served.new)
            #expect(try ServedFile.read(source) == served.file.bytes)
        }
    }

    @Test(
        "A segment that an asset has validated needs no request, and the next asset revalidates it"
    )
    func toldOnce() async throws {
        try await TemporaryFolder.use { path in
            let served = try Changing(DiskCache(directory: URL(fileURLWithPath: path + "/cache")))
            defer { served.file.server.stop() }
            let first = try served.asset()
            #expect(try served.part(first) == served.file.bytes)
            await served.file.flush()
            served.file.evictAllUnused()
            let next = try served.asset()
            let count = served.requests()
            #expect(try served.part(first) == served.file.bytes)
            #expect(served.requests() == count)
            served.enter(.new)
            #expect(try served.part(next) == served.new)
        }
    }

    @Test("A segment that could not be revalidated is revalidated when the server is reachable again")
    func askedLater() async throws {
        try await TemporaryFolder.use { path in
            var served = try Changing(DiskCache(directory: URL(fileURLWithPath: path + "/cache")))
            defer { served.file.server.stop() }
            served.file.policy.unreachableTTL = 0
            #expect(try served.part(try served.asset()) == served.file.bytes)
            await served.file.flush()
            served.file.evictAllUnused()
            let asset = try served.asset()
            served.enter(.down)
            #expect(try served.part(asset) == served.file.bytes)
            served.file.evictAllUnused()
            served.enter(.new)
            #expect(try served.part(asset) == served.new)
        }
    }

    // MARK: Cookies

    /// Returns a server that gives each presentation a session cookie and serves its segment only to accepted
    /// sessions, and two playlists.
    private func sessions(hasSessions: Bool = true, isRefused: @escaping @Sendable (String) -> Bool) throws
        -> (file: SharedFile, roots: [HTTPByteSource])
    {
        var file = try SharedFile { request, answer in
            if request.path == "/part.ts" {
                if isRefused(request.headers["cookie"] ?? "") {
                    answer = FaultServer.Answer(403)
                    // Both readers must be waiting first.
                    answer.hang = .beforeHead
                }
            } else if hasSessions {
                answer.headers.append(("Set-Cookie", "session=\(request.path.suffix(1)); Path=/"))
            }
        }
        file.policy.window = 100_000
        file.policy.initialWindow = 100_000
        let roots = try (1...2).map { try file.source("/list.m3u8?\($0)") }
        for root in roots { _ = try ServedFile.read(root, upTo: 1) }
        return (file, roots)
    }

    @Test(
        "A segment that the server refuses one asset is requested with the cookies of another",
        arguments: [true, false]
    )
    func refusedOne(_ hasSessions: Bool) async throws {
        let (file, roots) = try sessions(hasSessions: hasSessions) { $0 != "session=2" }
        defer { file.server.stop() }
        let parts = try roots.map {
            try $0.openReferenced("part.ts", cachePolicy: .everywhere, validatedAfter: 0)
        }
        let contexts = parts.map { _ in ReadContext() }
        let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        let wakes = contexts.map(\.wakeCount)
        for (part, context) in zip(parts, contexts) {
            #expect(throws: MediaError.self) { try part.read(at: 0, into: byte, context: context) }
        }
        file.server.release()
        for (index, context) in contexts.enumerated() { context.wait(after: wakes[index]) }
        let error = #expect(throws: MediaError.self) {
            try parts[0].read(at: 0, into: byte, context: contexts[0])
        }
        #expect(error?.code == .permissionDenied)
        if hasSessions {
            #expect(try ServedFile.read(parts[1]) == file.bytes)
        } else {
            #expect(throws: MediaError.self) { try parts[1].read(at: 0, into: byte, context: contexts[1]) }
            #expect(file.server.log.count { $0.path == "/part.ts" } == 1)
        }
    }

    @Test("An asset that continues a shared segment sends its own cookies")
    func expired() throws {
        let hasExpired = Locked(false)
        let (file, roots) = try sessions { $0 == "session=1" && hasExpired.withLock { $0 } }
        defer { file.server.stop() }
        file.server.release()
        let parts = try roots.map {
            try $0.openReferenced("part.ts", cachePolicy: .everywhere, validatedAfter: 0)
        }
        #expect(try ServedFile.read(parts[0], upTo: 10_000) == Array(file.bytes.prefix(10_000)))
        hasExpired.withLock { $0 = true }
        #expect(try ServedFile.read(parts[1]) == file.bytes)
    }

    @Test("A segment that is opened before its playlist sends the cookies of the same asset")
    func openedFirst() throws {
        let (file, _) = try sessions { _ in false }
        defer { file.server.stop() }
        let root = try file.source("/list.m3u8?3")
        let part = try root.openReferenced("part.ts", cachePolicy: .everywhere, validatedAfter: 0)
        _ = try ServedFile.read(root, upTo: 1)
        _ = try ServedFile.read(part, upTo: 1)
        #expect(file.server.log.first { $0.path == "/part.ts" }?.headers["cookie"] == "session=3")
    }

    // MARK: One question

    @Test("A source whose reader has left a revalidation does not use its result later")
    func leftEarly() async throws {
        let isNew = Locked(false)
        let new = ServedFile.bytes(200_000, seed: 2)
        let file = try SharedFile { request, answer in
            if isNew.withLock({ $0 }) { answer = .file(new, for: request, tag: "\"2\"") }
            if request.number == 2 { answer.hang = .beforeHead }
        }
        defer { file.server.stop() }
        #expect(try ServedFile.read(try file.source()) == file.bytes)
        let sources = try (0..<2).map { _ in try file.source() }
        let contexts = sources.map { _ in ReadContext() }
        let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        let wakes = contexts.map(\.wakeCount)
        for (source, context) in zip(sources, contexts) {
            let error = #expect(throws: MediaError.self) {
                try source.read(at: 0, into: byte, context: context)
            }
            #expect(error?.code == .notReady)
        }
        while file.server.log.count < 2 { await Task.yield() }
        contexts[0].cancel()
        file.server.release()
        contexts[1].wait(after: wakes[1])
        #expect(try sources[1].read(at: 0, into: byte, context: contexts[1]) == 1)
        contexts[1].cancel()
        isNew.withLock { $0 = true }
        #expect(try ServedFile.read(sources[0]) == new)
    }

    @Test(
        "Sources that wait for the same revalidation cause one request",
        arguments: [false, true]
    )
    func together(_ isInTrouble: Bool) async throws {
        let isHanging = Locked(false)
        let file = try SharedFile { request, answer in
            guard request.path == "/part.ts", isHanging.withLock({ $0 }) else { return }
            if isInTrouble { answer = FaultServer.Answer(503) }
            answer.hang = .beforeHead
        }
        defer { file.server.stop() }
        func asset() throws -> HTTPByteSource {
            let root = try file.source("/list.m3u8")
            _ = try ServedFile.read(root, upTo: 1)
            return root
        }
        _ = try ServedFile.read(
            try asset().openReferenced("part.ts", cachePolicy: .everywhere, validatedAfter: 0)
        )
        let roots = try (0..<3).map { _ in try asset() }
        isHanging.withLock { $0 = true }
        let parts = try roots.map {
            try $0.openReferenced("part.ts", cachePolicy: .everywhere, validatedAfter: 0)
        }
        let contexts = parts.map { _ in ReadContext() }
        let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        let wakes = contexts.map(\.wakeCount)
        for (part, context) in zip(parts, contexts) {
            let error = #expect(throws: MediaError.self) {
                try part.read(at: 0, into: byte, context: context)
            }
            #expect(error?.code == .notReady)
        }
        while file.server.log.count(where: { $0.path == "/part.ts" }) < 2 { await Task.yield() }
        file.server.release()
        for (index, context) in contexts.enumerated() {
            context.wait(after: wakes[index])
            #expect(try parts[index].read(at: 0, into: byte, context: context) == 1)
        }
        #expect(file.server.log.count { $0.path == "/part.ts" } == 2)
    }
}
