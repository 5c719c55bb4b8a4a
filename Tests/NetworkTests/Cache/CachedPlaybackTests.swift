import FFmpeg
import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

@Suite(
    "Playing from the cache",
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(10))
)
struct CachedPlaybackTests {
    private func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: Fixture.url(name))) }

    private func asset(_ server: FaultServer, _ cache: DiskCache? = nil, timeout: Duration = .seconds(10))
        throws -> Asset
    {
        let url = try #require(URL(string: server.url()))
        return Asset(url: url, options: AssetOptions(network: NetworkOptions(timeout: timeout, cache: cache)))
    }

    enum Looping: CaseIterable, Sendable {
        case repeating, looper
    }

    @Test("A hundred loops fetch each byte once", arguments: Looping.allCases)
    func laps(looping: Looping) async throws {
        let film = try bytes("clip-h264-aac.mp4")
        let server = try FaultServer(film)
        defer { server.stop() }
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = QueuePlayer(items: [], configuration: configuration)
        let events = player.events
        let item = PlayerItem(asset: try asset(server))
        var looper: PlayerLooper?
        switch looping {
        case .repeating:
            player.repeatMode = .loop
            player.insert(item, after: nil)
        case .looper: looper = PlayerLooper(player: player, templateItem: item)
        }
        player.play()
        var laps = (0..<100).samples.count
        for await event in events {
            if case .didPlayToEndTime = event { laps -= 1 }
            if laps == 0 { break }
        }
        withExtendedLifetime(looper) {}
        await player.shutdown()
        #expect(server.log.count == 1)
        #expect(server.bodyBytes < film.count + 1000)
    }

    @Test("Twenty players of one URL fetch each byte once and show every frame")
    func twenty() async throws {
        let film = try bytes("clip-h264-aac.mp4")
        let local = await PlaybackTranscript.play(Asset(url: Fixture.url("clip-h264-aac.mp4")))
        let server = try FaultServer(film)
        defer { server.stop() }
        let assets = try (0..<20).map { _ in try asset(server) }
        await withTaskGroup(of: PlaybackTranscript.self) { group in
            for asset in assets { group.addTask { await PlaybackTranscript.play(asset) } }
            for await played in group { #expect(played == local) }
        }
        // Players that start after the others have ended revalidate, and receive no body.
        #expect(server.log.count(where: { $0.headers["if-none-match"] == nil }) == 1)
        #expect(server.bodyBytes < film.count + server.log.count * 300)
    }

    @Test(
        "A completely cached film and its still images play without a server",
        arguments: [
            "clip-h264-aac.mp4", "clip-moov-at-end.mp4", "clip-vp9-opus.webm", "clip-h264-aac.ts",
        ]
    )
    func offline(name: String) async throws {
        let local = await PlaybackTranscript.play(Asset(url: Fixture.url(name)))
        let folder = try TemporaryFolder()
        let cache = DiskCache(directory: folder.url)
        let server = try FaultServer(try bytes(name))
        #expect(await PlaybackTranscript.play(try asset(server, cache)) == local)
        await cache.flush()
        server.stop()
        server.waitUntilClosed()
        // Different options prevent sharing in memory.
        #expect(await PlaybackTranscript.play(try asset(server, cache, timeout: .seconds(9))) == local)
        let asset = try asset(server, cache, timeout: .seconds(8))
        _ = try await ImageGenerator(asset: asset).image(at: .zero)
        #expect(asset.media?.isLocal == true)
    }

    @Test("Loading, playing, subtitles and still images of one asset fetch each byte once")
    func oneAsset() async throws {
        let server = try FaultServer(try bytes("clip-h264-aac.mp4"))
        defer { server.stop() }
        let asset = try asset(server)
        try await asset.load()
        #expect(await PlaybackTranscript.play(asset).ending == "end")
        _ = try await ImageGenerator(asset: asset).image(at: .zero)
        #expect(await PlaybackTranscript.play(asset).ending == "end")
        #expect(server.log.count == 1)
    }
}
