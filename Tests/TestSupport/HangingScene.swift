package import Foundation
internal import Glibc
internal import MediaCore

/// The places where loading from a server can hang.
package enum HangingPlace: String, CaseIterable, Sendable {
    case connect, dns, tls, headers, body, backOff, retryAfter, key, secondSegment

    /// The path of the resource of a playlist that hangs, or nil if a film hangs.
    var part: String? {
        switch self {
        case .key: "/enc.key"
        case .secondSegment: "/1.ts"
        default: nil
        }
    }
}

/// A server that hangs at one place, and the observation that a client waits there.
package final class HangingScene: Sendable {
    package let place: HangingPlace
    package let url: URL
    private let server: FaultServer
    private let listener: CrowdedListener?

    private static let film = Result { [UInt8](try Data(contentsOf: Fixture.url("clip-h264-aac.mp4"))) }
    private static let segment = Result { [UInt8](try Data(contentsOf: Fixture.url("clip-h264-aac.ts"))) }

    /// Starts the server. `offset` is where in the body of a film it hangs.
    package init(_ place: HangingPlace, offset: Int) throws {
        self.place = place
        let film = try Self.film.get()
        let segment = try Self.segment.get()
        server = try FaultServer { request in
            switch request.path {
            case "/list.m3u8":
                FaultServer.Answer.file(Array(Self.list(place).utf8), for: request)
            case place.part:
                Self.hanging(.beforeHead)
            case "/0.ts", "/1.ts":
                FaultServer.Answer.file(segment, for: request)
            default:
                Self.answer(place, offset, .file(film, for: request))
            }
        }
        listener = place == .connect ? try CrowdedListener() : nil
        let scheme = place == .tls ? "https" : "http"
        let host = place == .dns ? "hang.playhead.test" : "127.0.0.1"
        let path = place.part == nil ? "film.mp4" : "list.m3u8"
        guard let url = URL(string: "\(scheme)://\(host):\(listener?.port ?? server.port)/\(path)") else {
            throw URLError(.badURL)
        }
        self.url = url
    }

    deinit { server.stop() }

    private static func list(_ place: HangingPlace) -> String {
        let key = place == .key ? "#EXT-X-KEY:METHOD=AES-128,URI=\"enc.key\"\n" : ""
        return "#EXTM3U\n#EXT-X-TARGETDURATION:3\n\(key)#EXTINF:3,\n0.ts\n#EXTINF:3,\n1.ts\n#EXT-X-ENDLIST\n"
    }

    private static func hanging(_ hang: FaultServer.Answer.Hang) -> FaultServer.Answer {
        var answer = FaultServer.Answer(200)
        answer.hang = hang
        return answer
    }

    private static func answer(_ place: HangingPlace, _ offset: Int, _ film: FaultServer.Answer)
        -> FaultServer.Answer
    {
        var answer = film
        switch place {
        case .headers: answer.hang = .beforeHead
        case .body: answer.hang = .inBody(offset)
        case .backOff: answer = FaultServer.Answer(500)
        case .retryAfter: answer = FaultServer.Answer(503, headers: [("Retry-After", "20")])
        case .connect, .dns, .tls, .key, .secondSegment: break
        }
        return answer
    }

    /// Returns true if a client waits at the place. `hangs` is the number of host name lookups that hang since the
    /// scene began.
    package func isReached(hangs: Int) throws -> Bool {
        switch place {
        case .connect: try (listener?.connecting() ?? 0) > 0
        case .dns: hangs > 0
        case .tls: server.openConnections > 0
        case .headers: server.openRequests > 0
        case .body: server.bodyBytes > 0
        case .backOff, .retryAfter: server.openRequests == 0 && !server.log.isEmpty
        case .key, .secondSegment:
            server.log.contains { $0.path == place.part } && server.openRequests > 0
        }
    }

    /// Returns true if no client waits at the place any more. An idle connection may stay open.
    package func isLeft() throws -> Bool {
        if let listener { return try listener.connecting() <= 0 }
        return place.part == nil ? server.openConnections == 0 : server.openRequests == 0
    }
}

/// The stub resolver of `Tests/resolver`, which can be preloaded.
package enum StubResolver {
    /// Builds the library in a folder. Returns its path.
    package static func build(in folder: TemporaryFolder) throws -> String {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("resolver/resolver.c")
        let library = folder.path("resolver.so")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["clang", "-shared", "-fPIC", "-O1", "-o", library, source.path]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw POSIXError(.ENOEXEC) }
        return library
    }

    /// The number of host name lookups that hang in this process, or nil if the library is not preloaded.
    package static var hangs: (@Sendable () -> Int)? {
        guard let symbol = dlsym(nil, "playhead_resolver_hangs") else { return nil }
        let count = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
        return { Int(count()) }
    }
}
