import FFmpeg
import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

// Rule: shared-memory
@Suite(
    "Playing from a server",
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(10))
)
struct ServedPlaybackTests {
    private func play(_ asset: Asset) async -> PlaybackTranscript { await PlaybackTranscript.play(asset) }

    private func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: Fixture.url(name))) }

    private func asset(_ server: FaultServer, _ path: String = "/film.mp4", timeout: Duration = .seconds(10))
        throws
        -> Asset
    {
        let url = try #require(URL(string: server.url(path)))
        return Asset(url: url, options: AssetOptions(network: NetworkOptions(timeout: timeout)))
    }

    private static let films = [
        "clip-h264-aac.mp4", "clip-moov-at-end.mp4", "clip-vp9-opus.webm", "clip-h264-aac.ts",
        "clip-fragmented.mp4",
    ]

    @Test("All frames and samples equal those of the local file", arguments: films)
    func same(_ name: String) async throws {
        let local = await play(Asset(url: Fixture.url(name)))
        #expect(local.ending == "end")
        let server = try FaultServer(try bytes(name))
        defer { server.stop() }
        #expect(await play(try asset(server)).difference(from: local) == nil)
    }

    @Test("A preloaded film plays identically, with at most twice the requests", arguments: films)
    func preloaded(_ name: String) async throws {
        let local = await play(Asset(url: Fixture.url(name)))
        let server = try FaultServer(try bytes(name))
        defer { server.stop() }
        #expect(await play(try asset(server)).difference(from: local) == nil)
        let requests = server.log.count
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        let preloader = Preloader(configuration: configuration)
        let changes = preloader.changes
        let asset = try asset(server)
        preloader.preload(asset, to: .firstFrame(loading: .seconds(1)))
        for await change in changes {
            if case .failed(let error) = change.status { throw error }
            if change.status == .ready { break }
        }
        #expect(await play(asset).difference(from: local) == nil)
        #expect(server.log.count <= 2 * requests)
        #expect(preloader.status(of: asset) == nil)
    }

    @Test("A film from a server without range support plays identically", arguments: films)
    func withoutRanges(_ name: String) async throws {
        let local = await play(Asset(url: Fixture.url(name)))
        let film = try bytes(name)
        let server = try FaultServer(film) { _, answer in answer = .whole(film) }
        defer { server.stop() }
        #expect(await play(try asset(server)).difference(from: local) == nil)
    }

    @Test(
        "A film plays identically if every connection ends or hangs after a few bytes",
        arguments: [true, false]
    )
    func broken(ends: Bool) async throws {
        let name = "clip-h264-aac.mp4"
        let local = await play(Asset(url: Fixture.url(name)))
        let server = try FaultServer(try bytes(name)) { _, answer in
            if ends {
                answer.cut = min(answer.body.count, 30_000)
                answer.end = .close
            } else {
                answer.hang = .inBody(30_000)
            }
        }
        defer { server.stop() }
        // Only responses that hang end with the timeout. Three attempts of a server that is merely busy must not.
        let timeout: Duration = ends ? .seconds(60) : .seconds(1)
        #expect(await play(try asset(server, timeout: timeout)).difference(from: local) == nil)
        #expect(server.log.count >= 3)
    }

    @Test("With a small memory budget a film is fetched in small ranges, and all frames are shown")
    func littleMemory() async throws {
        // The padding prevents that a single range contains the whole file.
        let server = try FaultServer(try spread("clip-h264-aac.mp4"))
        defer { server.stop() }
        let budget = PlaybackBudget()
        budget.limits.bufferedByteCount = 1
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let membership = budget.join(player)
        let shown = Locked(0)
        let layer = PlayerLayer(player: player)
        layer.add(CallbackVideoSink { _ in shown.withLock { $0 += 1 } })
        let events = player.events
        player.replaceCurrentItem(with: PlayerItem(asset: try asset(server)))
        player.play()
        for await event in events {
            if case .passEnded(_, let outcome) = event {
                #expect("\(outcome)" == "playedToEnd")
                break
            }
        }
        #expect(shown.withLock { $0 } == 90)
        // A quarter of 256 KB.
        let longest = server.log.compactMap { request in
            request.range.map { ($0.last ?? .max) - $0.first + 1 }
        }
        #expect(longest.max() ?? .max <= 64 << 10 && longest.count == server.log.count)
        await player.shutdown()
        withExtendedLifetime((membership, layer)) {}
    }

    @Test("A film that fails in the middle plays up to there and reports the error")
    func failsInTheMiddle() async throws {
        let name = "clip-h264-aac.mp4"
        let film = try bytes(name)
        let local = await play(Asset(url: Fixture.url(name)))
        let server = try FaultServer(film) { request, answer in
            if request.number == 1 {
                answer.cut = film.count / 2
                answer.end = .close
            } else {
                answer = FaultServer.Answer(403)
            }
        }
        defer { server.stop() }
        let played = await play(try asset(server))
        #expect(played.ending == "permissionDenied")
        #expect(played.frames.count > 20)
        #expect(played.frames == Array(local.frames.prefix(played.frames.count)))
    }

    /// Returns a file with padding before or after its samples, so that no single request contains the whole file.
    private func spread(_ name: String) throws -> [UInt8] {
        var film = try bytes(name)
        let padding = 6 << 20
        let box = withUnsafeBytes(of: UInt32(padding).bigEndian) { Array($0) } + Array("free".utf8)
        let free = box + [UInt8](repeating: 0, count: padding - 8)
        guard name == "clip-moov-at-end.mp4" else { return name.hasSuffix("mp4") ? film + free : film }
        let mark = Array("moov".utf8)
        let place = try #require(film.indices.dropLast(4).last { Array(film[$0..<$0 + 4]) == mark })
        film.insert(contentsOf: free, at: place - 4)
        return film
    }

    /// The first request is small, and the second one reads ahead. With the index at the end it may begin before the jump
    /// to the index.
    @Test(
        "Loading and the first frame need few requests",
        arguments: [
            ("clip-h264-aac.mp4", 2), ("clip-moov-at-end.mp4", 4), ("clip-vp9-opus.webm", 1),
        ]
    )
    func requests(_ name: String, most: Int) async throws {
        let server = try FaultServer(try spread(name))
        defer { server.stop() }
        let asset = try asset(server)
        try await asset.load()
        let generator = ImageGenerator(asset: asset)
        _ = try await generator.image(at: .zero)
        #expect(server.log.count <= most, "\(server.log.map { $0.headers["range"] ?? "-" })")
        #expect(Set(server.log.map(\.connection)).count <= most)
    }

    @Test("A film whose declared length is too short plays up to there and reports an error")
    func shortLength() async throws {
        let film = try bytes("clip-h264-aac.mp4")
        let local = await play(Asset(url: Fixture.url("clip-h264-aac.mp4")))
        let server = try FaultServer { _ in .whole(Array(film.prefix(film.count / 2))) }
        defer { server.stop() }
        let played = await play(try asset(server))
        #expect(played.ending == "truncated")
        #expect(played.frames.count > 20)
        #expect(played.frames == Array(local.frames.prefix(played.frames.count)))
    }

    @Test(
        "An item whose server hangs is removed without delay",
        arguments: [
            FaultServer.Answer.Hang.beforeHead, .beforeBody, .inBody(500), .inBody(40_000),
        ]
    )
    func close(hang: FaultServer.Answer.Hang) async throws {
        let server = try FaultServer(try bytes("clip-h264-aac.mp4")) { _, answer in answer.hang = hang }
        defer { server.stop() }
        var configuration = Player.Configuration()
        configuration.audio = .none
        let player = Player(configuration: configuration)
        // The response never continues, and its timeout is longer than the time limit of the suite: a call that waits
        // for it does not return.
        let asset = try asset(server, timeout: .seconds(3600))
        player.replaceCurrentItem(with: PlayerItem(asset: asset))
        player.play()
        while server.log.isEmpty { await Task.yield() }
        player.replaceCurrentItem(with: nil)
        await player.shutdown()
        // The asset still exists, but its connection is closed.
        while server.openConnections > 0 { await Task.yield() }
        withExtendedLifetime(asset) {}
    }

    @Test("Errors contain no credentials")
    func credentials() async throws {
        let server = try FaultServer([]) { _, answer in answer = FaultServer.Answer(404) }
        defer { server.stop() }
        let url = try #require(URL(string: "http://me:hush@127.0.0.1:\(server.port)/a.mp4"))
        let error = try await #require(throws: PlaybackError.self) { try await Asset(url: url).load() }
        #expect(error.code == .notFound)
        #expect(!"\(error) \(error.errorUserInfo) \(String(describing: error.url))".contains("hush"))
    }
}
