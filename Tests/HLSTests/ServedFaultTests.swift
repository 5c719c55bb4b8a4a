import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

// Rule: hls-hosts
/// Failures of single resources of a presentation, and their results.
@Suite("HLS: server failures", .enabled(if: Fixture.areThere, "make fixtures"), .timeLimit(.minutes(10)))
struct ServedFaultTests {
    private typealias Change = @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void

    private func play(
        _ name: String = "ts",
        _ more: [String: String] = [:],
        path: String = "/list.m3u8",
        timeout: Duration = .seconds(5),
        _ change: @escaping Change = { _, _ in }
    ) async throws -> (PlaybackTranscript, [FaultServer.Request]) {
        let folder = try Presentation.folder(name)
        var files = try ServedFolder.files(folder.url)
        for (path, text) in more { files[path] = Array(text.utf8) }
        let served = try ServedFolder(files, change: change)
        let transcript = await PlaybackTranscript.play(try served.asset(path, timeout: timeout))
        return (transcript, served.server.log)
    }

    private enum TemporaryFault: CaseIterable { case cut, hang, busy }

    /// `idle` is the number of reloads without a change after the first segment.
    @Test("A live playlist that does not change plays its segments and then fails", arguments: [19, .max])
    func abandoned(_ idle: Int) async throws {
        let start = "#EXTM3U\n#EXT-X-TARGETDURATION:0.1\n#EXTINF:1,\n0.ts\n"
        let rest = "#EXTINF:1,\n1.ts\n#EXTINF:1,\n2.ts\n#EXT-X-ENDLIST\n"
        let count = Locked(0)
        let (transcript, log) = try await play(path: "/live.m3u8") { request, answer in
            guard request.path == "/live.m3u8" else { return }
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            let list = start + (number > idle ? rest : "")
            answer = FaultServer.Answer(200, body: Array(list.utf8))
        }
        let (plain, _) = try await play()
        let frames = transcript.frames.filter { $0 != "stall" }
        #expect(log.count { $0.path == "/live.m3u8" } == 21)
        if idle == .max {
            #expect(transcript.ending == "timedOut")
            #expect(
                transcript.message.hasSuffix(
                    ": the live playlist has not changed in 20 reloads and has no EXT-X-ENDLIST"
                )
            )
            // The decoder delays the last two frames.
            #expect(frames == Array(plain.frames.prefix(28)))
        } else {
            #expect(transcript.ending == "end")
            #expect(frames == plain.frames)
            #expect(transcript.audio == plain.audio)
        }
    }

    /// `stale` is the number of responses with an older playlist.
    @Test("A live playlist that goes back is ignored twice and then fails", arguments: [2, 3])
    func goesBack(_ stale: Int) async throws {
        let start = "#EXTM3U\n#EXT-X-TARGETDURATION:0.1\n#EXT-X-MEDIA-SEQUENCE:"
        let count = Locked(0)
        let (transcript, log) = try await play(path: "/live.m3u8") { request, answer in
            guard request.path == "/live.m3u8" else { return }
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            let list =
                switch number {
                case 0: "8\n#EXTINF:1,\n0.ts\n"
                case ...stale: "7\n#EXTINF:1,\nlost.ts\n#EXTINF:1,\n0.ts\n"
                default: "8\n#EXTINF:1,\n0.ts\n#EXTINF:1,\n1.ts\n#EXTINF:1,\n2.ts\n#EXT-X-ENDLIST\n"
                }
            answer = FaultServer.Answer(200, body: Array((start + list).utf8))
        }
        let (plain, _) = try await play()
        let frames = transcript.frames.filter { $0 != "stall" }
        #expect(log.count { $0.path == "/live.m3u8" } == 4)
        #expect(transcript.ending == (stale == 2 ? "end" : "resourceChanged"))
        // The decoder delays the last two frames.
        #expect(frames == Array(plain.frames.prefix(stale == 2 ? 90 : 28)))
    }

    @Test(
        "A segment that is interrupted, late or refused once is played completely",
        arguments: TemporaryFault.allCases
    )
    private func passing(_ kind: TemporaryFault) async throws {
        let (plain, _) = try await play()
        let isFirst = Locked(true)
        // Only a response that hangs ends with the timeout. Three attempts of a server that is merely busy must not.
        let timeout: Duration = kind == .hang ? .seconds(2) : .seconds(60)
        let (played, _) = try await play(timeout: timeout) { request, answer in
            guard request.path == "/1.ts",
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            else { return }
            switch kind {
            case .cut:
                answer.cut = answer.body.count / 2
                answer.end = .close
            case .hang: answer.hang = .inBody(2000)
            case .busy: answer = FaultServer.Answer(503)
            }
        }
        #expect(played == plain)
    }

    @Test("A missing segment is reported, and the others are played", arguments: [403, 404, 410])
    func lost(_ status: Int) async throws {
        let (plain, _) = try await play()
        let (played, _) = try await play { request, answer in
            if request.path == "/1.ts" { answer = FaultServer.Answer(status) }
        }
        #expect(played.ending == "end")
        #expect(played.faults.count == 1)
        #expect(played.faults.first?.contains("segment 1") == true, "\(played.faults)")
        #expect(played.frames == Array(plain.frames[..<30] + plain.frames[60...]))
    }

    @Test("An empty segment is reported, and the others are played", arguments: [1, 2])
    func empty(_ number: Int) async throws {
        let (plain, _) = try await play()
        let (played, _) = try await play { request, answer in
            if request.path == "/\(number).ts" { answer = FaultServer.Answer(200) }
        }
        #expect(played.ending == "end")
        #expect(played.faults.count == 1)
        let message = "segment \(number): the resource is empty"
        #expect(played.faults.first?.contains(message) == true, "\(played.faults)")
        let first = 30 * number
        #expect(played.frames == Array(plain.frames[..<first] + plain.frames[(first + 30)...]))
    }

    @Test(
        "An MP4 segment that ends within a box is reported, and those after it are played",
        arguments: [false, true]
    )
    func incompleteBox(isPage: Bool) async throws {
        let (plain, _) = try await play("fmp4")
        let segment = try #require(try Presentation.files("fmp4")["/1.m4s"])
        let page = Array(String(repeating: "<p>not found</p>", count: 100).utf8)
        let body = isPage ? page : Array(segment.prefix(segment.count / 2))
        let (played, _) = try await play("fmp4") { request, answer in
            if request.path == "/1.m4s" { answer = FaultServer.Answer(200, body: body) }
        }
        #expect(played.ending == "end")
        let message = "segment 1: the resource ends within a box"
        #expect(played.faults.contains { $0.contains(message) }, "\(played.faults)")
        #expect(played.frames.prefix(30) == plain.frames.prefix(30))
        #expect(played.frames.suffix(30) == plain.frames.suffix(30))
        #expect(played.frames.count == 60 || !isPage)
    }

    /// The playlist has no segment after the lost one until it has been reloaded several times.
    @Test(
        "The newest segment of a live playlist is missing, and what follows it is played at its time",
        arguments: ["ts", "fmp4"],
        [false, true]
    )
    func lostAtTheEdge(_ kind: String, followsDiscontinuity: Bool) async throws {
        let isTS = kind == "ts"
        func line(_ name: String) -> String { "#EXTINF:1,\n\(name).\(isTS ? "ts" : "m4s")\n" }
        let head = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:0.1\n#EXT-X-SERVER-CONTROL:HOLD-BACK=3\n"
        let map = isTS ? "" : "#EXT-X-MAP:URI=\"init.mp4\"\n"
        let start = head + map + line("0") + line("gone")
        let broken = "#EXT-X-DISCONTINUITY\n" + line("0") + line("1")
        let rest = (followsDiscontinuity ? broken : line("2")) + "#EXT-X-ENDLIST\n"
        let count = Locked(0)
        let served = try ServedFolder(try Presentation.files(kind)) { request, answer in
            guard request.path == "/live.m3u8" else { return }
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            let list = start + (number > 4 ? rest : "")
            answer = FaultServer.Answer(200, body: Array(list.utf8))
        }
        let played = await Switching.play(try served.asset("/live.m3u8"))
        #expect(played.failure == nil)
        #expect(played.faults.count == 1, "\(played.faults)")
        let first = try #require(played.times.first)
        let numbers = played.times.map { Int((($0 - first).seconds * 30).rounded()) }
        let expected = [0..<30, 60..<(followsDiscontinuity ? 120 : 90)].flatMap { Array($0) }
        #expect(numbers == expected)
        #expect(served.paths.contains("/gone.\(isTS ? "ts" : "m4s")"))
    }

    @Test("Playback fails if no further segment is available")
    func allLost() async throws {
        let lines = (0..<8).map { "#EXTINF:1,\n\($0 < 2 ? "\($0).ts" : "none\($0).ts")\n" }.joined()
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(lines)#EXT-X-ENDLIST\n"
        let (played, log) = try await play("ts", ["/long.m3u8": list], path: "/long.m3u8")
        #expect(played.ending == "notFound")
        #expect(played.frames.count == 60)
        #expect(log.filter { $0.path.hasPrefix("/none") }.count <= 4)
    }

    @Test(
        "A key that is refused, too short, too long or wrong is an error",
        arguments: [
            (403, "", "encryption key"), (200, "short", "5 bytes instead of 16"),
            (200, "0123456789abcdefg", "more than 16"),
            (200, "0123456789abcdeX", "wrong key or damaged data"),
        ]
    )
    func keys(_ status: Int, _ key: String, _ phrase: String) async throws {
        let (played, _) = try await play("AES-128") { request, answer in
            if request.path == "/enc.key" { answer = FaultServer.Answer(status, body: Array(key.utf8)) }
        }
        #expect(played.ending == (status == 403 ? "permissionDenied" : "encrypted"))
        #expect(played.message.contains(phrase), "\(played.message)")
        #expect(played.frames.isEmpty)
    }

    private static func media(_ segment: String) -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(segment)\n#EXT-X-ENDLIST\n"
    }

    /// A playlist of which test reports show only the beginning.
    struct Text: Sendable, CustomTestStringConvertible {
        var all: String
        var testDescription: String { String(all.prefix(80)) }
    }

    @Test(
        "A remote playlist with forbidden or unsupported content is rejected",
        arguments: ([
            (media("file:///etc/passwd"), "forbidden", "scheme file", 1),
            (media("concat:0.ts"), "forbidden", "scheme concat", 1),
            (media("other.m3u8"), "forbidden", "segment rejected: it is a playlist", 2),
            (
                media("0.ts").replacing("#EXTINF", with: "#EXT-X-MAP:URI=\"file:///x\"\n#EXTINF"),
                "forbidden", "file", 1
            ),
            (
                media("0.ts").replacing("#EXTINF", with: "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF"),
                "encrypted", "SAMPLE-AES", 2
            ),
            (
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nbad.m3u8\n", "forbidden",
                "a variant stream is a master playlist", 2
            ),
            (
                "#EXTM3U\n" + String(repeating: "#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n", count: 10_000),
                "exceedsLimits", "variants", 1
            ),
            ("#EXTM3U\n" + String(repeating: "#", count: 9 << 20), "exceedsLimits", "playlist too large", 9),
            ("#EXTM3U\n#EXT-X-ENDLIST\n", "emptyMedia", "no segments", 1),
        ] as [(String, String, String, Int)]).map { (Text(all: $0), $1, $2, $3) }
    )
    func refused(_ list: Text, _ code: String, _ phrase: String, _ requests: Int) async throws {
        let (played, log) = try await play(
            "ts",
            ["/bad.m3u8": list.all, "/other.m3u8": Self.media("0.ts")],
            path: "/bad.m3u8"
        )
        #expect(played.ending == code)
        #expect(played.message.contains(phrase), "\(played.message)")
        #expect(log.count <= requests, "\(log.map(\.path))")
        #expect(played.frames.isEmpty)
    }

    @Test(
        "A hostile playlist is rejected and causes no further requests",
        arguments: ([
            (
                media("0.ts").replacing("#EXTINF:1", with: "#EXTINF:-1"), "unrecognizedFormat",
                "invalid duration"
            ),
            (
                media("0.ts").replacing("#EXTINF:1", with: "#EXTINF:nan"), "unrecognizedFormat",
                "invalid duration"
            ),
            (
                media("0.ts").replacing("#EXTINF:1", with: "#EXTINF:1e9"), "unrecognizedFormat",
                "invalid duration"
            ),
            (
                "#EXTM3U\n" + String(repeating: "#EXTINF:1,\n0.ts\n", count: 120_000), "exceedsLimits",
                "segments"
            ),
            (
                "#EXTM3U\n#EXTINF:1," + String(repeating: "x", count: 9 << 20), "exceedsLimits",
                "playlist too large"
            ),
            (
                "#EXTM3U\n" + String(repeating: "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\"\n", count: 2000),
                "exceedsLimits", "renditions"
            ),
            (media("data:video/mp2t;base64,R0A="), "forbidden", "data"),
            (key("URI=\"data:,0123456789abcdef\""), "forbidden", "data"),
            (key("URI=\"file:///etc/passwd\""), "forbidden", "file"),
            (key("URI=\"0.ts\""), "encrypted", "more than 16"),
            (key("URI=\"short.key\""), "encrypted", "3 bytes instead of 16"),
            (
                key("URI=\"short.key\",IV=0x12345678901234567890123456789012345"), "unrecognizedFormat",
                "128 bits"
            ),
            (range("9000000000000000000@9000000000000000000"), "unrecognizedFormat", "line 3"),
            (range("0@0"), "unrecognizedFormat", "empty"),
            (range("-5@0"), "unrecognizedFormat", "line 3"),
            (range("1000"), "unrecognizedFormat", "byte range without an offset"),
            (range("1000@1000000000"), "", "segment 0"),
            (
                "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:99999999999999999999\n", "unrecognizedFormat",
                "invalid or too large number"
            ),
            ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nfile:///etc/passwd\n", "forbidden", "file"),
            (
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\ncircle.m3u8\n", "forbidden",
                "a variant stream is a master playlist"
            ),
        ] as [(String, String, String)]).map { (Text(all: $0), $1, $2) }
    )
    func hostile(_ list: Text, _ code: String, _ phrase: String) async throws {
        let files = [
            "/bad.m3u8": list.all, "/circle.m3u8": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nbad.m3u8\n",
            "/0.ts": String(repeating: "x", count: 2000), "/short.key": "abc",
        ]
        let served = try ServedFolder(files.mapValues { Array($0.utf8) })
        let asset = try served.asset("/bad.m3u8", timeout: .seconds(60))
        let played = await PlaybackTranscript.play(asset)
        #expect(!played.ending.isEmpty && played.ending != "end")
        if !code.isEmpty { #expect(played.ending == code) }
        #expect(played.message.contains(phrase), "\(played.message)")
        #expect(served.paths.allSatisfy { files[$0] != nil || $0.hasSuffix("x.ts") }, "\(served.paths)")
        #expect(played.frames.isEmpty)
    }

    private static func key(_ attributes: String) -> String {
        media("0.ts").replacing("#EXTINF", with: "#EXT-X-KEY:METHOD=AES-128,\(attributes)\n#EXTINF")
    }

    private static func range(_ text: String) -> String {
        media("0.ts").replacing("#EXTINF", with: "#EXT-X-BYTERANGE:\(text)\n#EXTINF")
    }

    @Test("A playlist with content coding gzip is an error")
    func compressed() async throws {
        let (played, _) = try await play { request, answer in
            if request.path == "/list.m3u8" { answer.set("Content-Encoding", "gzip") }
        }
        #expect(played.ending != "end")
        #expect(played.message.contains("gzip"), "\(played.message)")
    }

    @Test("A variant stream that is not available leaves the others playable")
    func lostVariant() async throws {
        let (played, _) = try await play("five variants", path: "/master.m3u8") { request, answer in
            if request.path == "/v4/list.m3u8" { answer = FaultServer.Answer(404) }
        }
        #expect(played.ending == "end")
        #expect(played.frames.count == 90)
    }

    @Test("URIs are relative to the redirect target, and credentials stay with their origin")
    func redirected() async throws {
        let folder = try Presentation.folder("ts")
        let files = try ServedFolder.files(folder.url)
        let other = try ServedFolder(
            Dictionary(uniqueKeysWithValues: files.map { ("/deep" + $0.key, $0.value) })
        )
        let place = other.server.url("/deep/list.m3u8?token=1")
        let first = try FaultServer { _ in FaultServer.Answer(302, headers: [("Location", place)]) }
        defer { first.stop() }
        let url = try #require(URL(string: "http://me:hush@127.0.0.1:\(first.port)/a/b.m3u8"))
        let options = NetworkOptions(headers: [
            .init(name: "X-Secret", value: "1"), .init(name: "Referer", value: "r"),
        ])
        let transcript = await PlaybackTranscript.play(
            Asset(url: url, options: AssetOptions(network: options))
        )
        #expect(transcript.ending == "end")
        #expect(transcript.frames.count == 90)
        #expect(other.paths == ["/deep/list.m3u8?token=1", "/deep/0.ts", "/deep/1.ts", "/deep/2.ts"])
        for request in other.server.log {
            #expect(request.headers["authorization"] == nil)
            #expect(request.headers["x-secret"] == nil)
            #expect(request.headers["referer"] == "r")
        }
        #expect(first.log.allSatisfy { $0.headers["authorization"] != nil && $0.headers["x-secret"] == "1" })
    }

    @Test(
        "A player that is closed while a resource hangs is not delayed",
        arguments: [
            "/master.m3u8", "/v.m3u8", "/a.m3u8", "/v0.ts", "/a0.ts", "/v1.ts",
        ]
    )
    func close(_ path: String) async throws {
        let folder = try Presentation.folder("separate audio")
        let served = try ServedFolder(try ServedFolder.files(folder.url)) { request, answer in
            if request.path == path { answer.hang = .beforeBody }
        }
        var configuration = Player.Configuration()
        configuration.audio = .none
        let player = Player(configuration: configuration)
        // The response never continues, and its timeout is longer than the time limit of the suite: a call that waits
        // for it does not return.
        let asset = try served.asset("/master.m3u8", timeout: .seconds(3600))
        player.replaceCurrentItem(with: PlayerItem(asset: asset))
        player.play()
        while !served.paths.contains(path) { await Task.yield() }
        player.replaceCurrentItem(with: nil)
        await player.shutdown()
        while served.server.openRequests > 0 { await Task.yield() }
        withExtendedLifetime(asset) {}
    }
}
