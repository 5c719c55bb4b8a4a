import Foundation
import Playhead
import PlayheadFeed
import TestSupport
import Testing

/// The network options of a configuration, and the assets that they apply to.
@Suite(
    "Network options of a configuration",
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(10))
)
struct NetworkDefaultsTests {
    /// A server that records the value of the header X-Key for each path.
    private final class Scene {
        let server: FaultServer

        init() throws {
            server = try FaultServer([UInt8](try Data(contentsOf: Fixture.url("clip-h264-aac.mp4"))))
        }

        deinit { server.stop() }

        func url(_ path: String) throws -> URL { try #require(URL(string: server.url(path))) }

        /// Returns the keys that were sent for a path, each once. A request without one counts as "none".
        func keys(_ path: String) -> Set<String> {
            Set(server.log.filter { $0.path == path }.map { $0.headers["x-key"] ?? "none" })
        }
    }

    private func network(_ key: String) -> NetworkOptions {
        NetworkOptions(headers: [NetworkOptions.Header(name: "X-Key", value: key)])
    }

    private func configuration(_ key: String) -> Player.Configuration {
        var configuration = Player.Configuration.offline()
        configuration.network = network(key)
        return configuration
    }

    @Test("They apply to a URL that a player is created with")
    func url() async throws {
        let scene = try Scene()
        try await Player(url: try scene.url("/a"), configuration: configuration("player")).playToEnd()
        #expect(scene.keys("/a") == ["player"])
    }

    @Test("They apply to items of a queue, unless the asset has options of its own or was opened before")
    func queue() async throws {
        let scene = try Scene()
        let (own, opened) = (
            Asset(url: try scene.url("/own"), options: AssetOptions(network: network("asset"))),
            Asset(url: try scene.url("/opened"))
        )
        try await opened.load()
        let items = [
            PlayerItem(url: try scene.url("/a")), PlayerItem(asset: own), PlayerItem(asset: opened),
            PlayerItem(asset: Asset(url: try scene.url("/b"))),
        ]
        let player = QueuePlayer(items: items, configuration: configuration("player"))
        let events = player.events
        player.play()
        var ends = 0
        for await event in events {
            if case .didPlayToEndTime = event { ends += 1 }
            if case .failedToPlayToEndTime(_, let error) = event { throw error }
            if ends == items.count { break }
        }
        await player.shutdown()
        #expect(scene.keys("/a") == ["player"])
        #expect(scene.keys("/b") == ["player"])
        #expect(scene.keys("/own") == ["asset"])
        #expect(scene.keys("/opened") == ["none"])
    }

    @Test("The first player that gets an asset decides")
    func twoPlayers() async throws {
        let scene = try Scene()
        let asset = Asset(url: try scene.url("/a"))
        for key in ["one", "two"] {
            let player = Player(playerItem: PlayerItem(asset: asset), configuration: configuration(key))
            try await player.playToEnd()
        }
        #expect(scene.keys("/a") == ["one"])
    }

    @Test("They apply to preloaded assets")
    func preloader() async throws {
        let scene = try Scene()
        let asset = Asset(url: try scene.url("/a"))
        let preloader = Preloader(configuration: configuration("preloader"))
        let changes = preloader.changes
        preloader.preload(asset, to: .firstFrame)
        for await change in changes {
            if case .failed(let error) = change.status { throw error }
            if change.status == .ready { break }
        }
        try await Player(playerItem: PlayerItem(asset: asset), configuration: configuration("player"))
            .playToEnd()
        #expect(scene.keys("/a") == ["preloader"])
    }

    @Test("They apply to external subtitles")
    func subtitles() async throws {
        let server = try FaultServer(Array("1\n00:00:00,000 --> 00:00:01,000\nword\n".utf8))
        defer { server.stop() }
        let item = PlayerItem(url: Fixture.url("clip-h264-aac.mp4"))
        item.legibleAsset = Asset(url: try #require(URL(string: server.url("/a.srt"))))
        let output = LegibleOutput()
        item.add(output)
        try await Player(playerItem: item, configuration: configuration("player")).playToEnd()
        #expect(!server.log.isEmpty)
        #expect(server.log.allSatisfy { $0.headers["x-key"] == "player" })
    }

    @Test("They apply to the posters and clips of a feed")
    func feed() async throws {
        let scene = try Scene()
        let url = try scene.url("/a")
        var configuration = configuration("feed")
        configuration.clock = .host
        let feed = FeedPlayer<Int>(configuration: configuration, budget: PlaybackBudget()) { _ in
            Asset(url: url)
        }
        let (isShown, continuation) = AsyncStream.makeStream(of: Void.self)
        let layer = FeedLayer()
        layer.setContentHandler { if $0 == .video { continuation.yield() } }
        layer.add(CallbackVideoSink { _ in })
        feed.setLayer(layer, for: 0)
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 1, height: 1)))
        feed.setCells([FeedCell(0, frame: CGRect(x: 0, y: 0, width: 1, height: 1))])
        for await _ in isShown { break }
        withExtendedLifetime(feed) {}
        #expect(scene.keys("/a") == ["feed"])
    }
}
