import FFmpeg
import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

/// Segments, maps and keys are fetched once for all players of a presentation, and remain available without a server.
@Suite("HLS: sharing and caching", .enabled(if: Fixture.areThere, "make fixtures"), .timeLimit(.minutes(10)))
struct ServedSharingTests {
    private static func serve(_ name: String) throws -> (ServedFolder, folder: TemporaryFolder, path: String)
    {
        let folder = try Presentation.folder(name)
        let path = FileManager.default.fileExists(atPath: folder.path("list.m3u8")) ? "list" : "master"
        return (try ServedFolder(try ServedFolder.files(folder.url)), folder, "/\(path).m3u8")
    }

    /// Expects that no resource was sent twice. Repeated requests must be revalidations.
    private func expectOnce(_ served: ServedFolder) {
        let fetched = served.server.log.filter { $0.headers["if-none-match"] == nil }
            .map { "\($0.path) \($0.headers["range"] ?? "")" }
        #expect(Set(fetched).count == fetched.count, "\(fetched)")
    }

    @Test(
        "Two players and still images of separate assets fetch each byte once",
        arguments: ["ts", "fmp4", "one fmp4 by ranges", "AES-128", "separate audio"]
    )
    func beside(_ name: String) async throws {
        let (served, _, path) = try Self.serve(name)
        let assets = try (0..<3).map { _ in try served.asset(path) }
        async let one = PlaybackTranscript.play(assets[0])
        async let other = PlaybackTranscript.play(assets[1])
        let generator = ImageGenerator(asset: assets[2])
        for milliseconds: Int64 in [100, 1500, 2900] {
            _ = try await generator.image(at: MediaTime(value: milliseconds, timescale: 1000))
        }
        let played = await [one, other]
        #expect(played[0] == played[1])
        #expect(played[0].ending == "end")
        expectOnce(served)
    }

    @Test("Twenty players of one URL fetch each byte once")
    func twenty() async throws {
        let (served, _, path) = try Self.serve("ts")
        let assets = try (0..<20).map { _ in try served.asset(path) }
        await withTaskGroup(of: PlaybackTranscript.self) { group in
            for asset in assets { group.addTask { await PlaybackTranscript.play(asset) } }
            for await played in group {
                #expect(played.frames.count == 90)
                #expect(played.ending == "end")
            }
        }
        expectOnce(served)
    }

    /// Returns a presentation with `count` segments of a second, each with its own URL.
    private static func long(_ count: Int) throws -> ServedFolder {
        let files = try Presentation.files("ts")
        var list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
        var served: [String: [UInt8]] = [:]
        for index in 0..<count {
            list += index % 3 == 0 && index > 0 ? "#EXT-X-DISCONTINUITY\n" : ""
            list += "#EXTINF:1,\ns\(index).ts\n"
            served["/s\(index).ts"] = files["/\(index % 3).ts"]
        }
        served["/list.m3u8"] = Array((list + "#EXT-X-ENDLIST\n").utf8)
        return try ServedFolder(served)
    }

    @Test("With a small memory budget two concurrent players show all frames")
    func littleMemory() async throws {
        let served = try [Self.long(24), Self.long(24)]
        let budget = PlaybackBudget()
        budget.limits.bufferedByteCount = 1
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let shown = Locked([0, 0])
        let players = served.map { _ in Player(configuration: configuration) }
        let members = players.map { budget.join($0) }
        let layers = players.enumerated().map { place, player in
            let layer = PlayerLayer(player: player)
            layer.add(CallbackVideoSink { _ in shown.withLock { $0[place] += 1 } })
            return layer
        }
        let events = players.map(\.events)
        for (player, served) in zip(players, served) {
            player.replaceCurrentItem(with: PlayerItem(asset: try served.asset("/list.m3u8")))
            player.play()
        }
        for events in events {
            for await event in events {
                if case .passEnded(_, let outcome) = event {
                    #expect("\(outcome)" == "playedToEnd")
                    break
                }
            }
        }
        #expect(shown.withLock { $0 } == [720, 720])
        #expect(members.map(\.bufferedByteLimit) == [256 << 10, 256 << 10])
        // Each byte is fetched once, however small the ranges are.
        for served in served { expectOnce(served) }
        for player in players { await player.shutdown() }
        withExtendedLifetime(layers) {}
    }

    @Test("Loops whose packets are not kept fetch each byte once", arguments: [(3, 100), (24, 4)])
    func laps(_ segments: Int, _ laps: Int) async throws {
        let served = try Self.long(segments)
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        configuration.buffering.network.backBytes = 0
        configuration.buffering.network.backDuration = .zero
        let player = QueuePlayer(
            items: [PlayerItem(asset: try served.asset("/list.m3u8"))],
            configuration: configuration
        )
        let events = player.events
        player.repeatMode = .loop
        player.play()
        var left = (0..<laps).samples.count
        for await event in events {
            if case .didPlayToEndTime = event { left -= 1 }
            if left == 0 { break }
        }
        await player.shutdown()
        #expect(served.server.log.count == segments + 1, "\(served.paths)")
    }

    @Test("A server that sends its bytes only once delivers all frames, even after seeks")
    func onceOnly() async throws {
        let source = try Presentation.folder("ts")
        let files = try ServedFolder.files(source.url)
        let served = try ServedFolder(files) { request, answer in
            guard request.path.hasSuffix(".ts"), let bytes = files[request.path] else { return }
            answer = .whole(bytes, tag: nil)
            answer.set("Content-Length", nil)
            answer.isChunked = true
        }
        let expected = await PlaybackTranscript.play(Asset(url: source.file("list.m3u8")))
        let asset = try served.asset("/list.m3u8")
        #expect(await PlaybackTranscript.play(asset) == expected)
        let generator = ImageGenerator(asset: asset)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        for milliseconds: Int64 in [2900, 100, 1500, 2000, 0, 2960, 990] {
            _ = try await generator.image(at: MediaTime(value: milliseconds, timescale: 1000))
        }
        #expect(await PlaybackTranscript.play(asset) == expected)
    }

    // MARK: On disk

    private func asset(_ served: ServedFolder, _ path: String, _ cache: DiskCache, timeout: Duration) throws
        -> Asset
    {
        let url = try #require(URL(string: served.server.url(path)))
        return Asset(url: url, options: AssetOptions(network: NetworkOptions(timeout: timeout, cache: cache)))
    }

    private func stop(_ served: ServedFolder, _ cache: DiskCache) async {
        await cache.flush()
        served.server.stop()
        served.server.waitUntilClosed()
    }

    @Test(
        "A cached presentation and its still images play without a server",
        arguments: ["ts", "one ts by ranges", "fmp4", "one fmp4 by ranges", "separate audio"]
    )
    func offline(_ name: String) async throws {
        let (served, source, path) = try Self.serve(name)
        let expected = await PlaybackTranscript.play(Asset(url: source.file(String(path.dropFirst()))))
        let folder = try TemporaryFolder()
        let cache = DiskCache(directory: folder.url)
        #expect(
            await PlaybackTranscript.play(try asset(served, path, cache, timeout: .seconds(10))) == expected
        )
        await stop(served, cache)
        // Different options prevent sharing in memory.
        #expect(
            await PlaybackTranscript.play(try asset(served, path, cache, timeout: .seconds(9))) == expected
        )
        let stills = ImageGenerator(asset: try asset(served, path, cache, timeout: .seconds(8)))
        _ = try await stills.image(at: .zero)
    }

    @Test("A presentation with one cache key for all segments plays without a server")
    func oneKey() async throws {
        let (served, source, path) = try Self.serve("ts")
        let expected = await PlaybackTranscript.play(Asset(url: source.file("list.m3u8")))
        let folder = try TemporaryFolder()
        let cache = DiskCache(directory: folder.url) { _ in "film" }
        #expect(
            await PlaybackTranscript.play(try asset(served, path, cache, timeout: .seconds(10))) == expected
        )
        await stop(served, cache)
        #expect(
            await PlaybackTranscript.play(try asset(served, path, cache, timeout: .seconds(9))) == expected
        )
    }

    @Test("Each cached segment is revalidated once and not sent again")
    func revalidated() async throws {
        let (served, _, path) = try Self.serve("ts")
        let folder = try TemporaryFolder()
        let cache = DiskCache(directory: folder.url)
        let first = await PlaybackTranscript.play(try asset(served, path, cache, timeout: .seconds(10)))
        await cache.flush()
        let count = served.paths.count
        let again = try asset(served, path, cache, timeout: .seconds(9))
        #expect(await PlaybackTranscript.play(again) == first)
        #expect(await PlaybackTranscript.play(again) == first)
        let asked = served.server.log[count...]
        #expect(asked.allSatisfy { $0.headers["if-none-match"] != nil })
        #expect(asked.map(\.path).sorted() == ["/0.ts", "/1.ts", "/2.ts", "/list.m3u8"])
    }

    @Test("URIs of a cached playlist are relative to its redirect target")
    func redirected() async throws {
        let source = try Presentation.folder("ts")
        let expected = await PlaybackTranscript.play(Asset(url: source.file("list.m3u8")))
        let files = try ServedFolder.files(source.url)
        let served = try ServedFolder(
            Dictionary(uniqueKeysWithValues: files.map { ("/deep" + $0.key, $0.value) })
        ) { request, answer in
            if request.path == "/list.m3u8" {
                answer = FaultServer.Answer(302, headers: [("Location", "/deep/list.m3u8")])
            }
        }
        let folder = try TemporaryFolder()
        let cache = DiskCache(directory: folder.url)
        for timeout in [Duration.seconds(10), .seconds(9)] {
            #expect(
                await PlaybackTranscript.play(try asset(served, "/list.m3u8", cache, timeout: timeout))
                    == expected
            )
            await cache.flush()
        }
        await stop(served, cache)
        #expect(
            await PlaybackTranscript.play(try asset(served, "/list.m3u8", cache, timeout: .seconds(8)))
                == expected
        )
    }

    @Test("Keys are not cached, so an encrypted presentation fails without a server")
    func keys() async throws {
        let (served, _, path) = try Self.serve("AES-128")
        let folder = try TemporaryFolder()
        let cache = DiskCache(directory: folder.url)
        #expect(
            await PlaybackTranscript.play(try asset(served, path, cache, timeout: .seconds(10))).ending
                == "end"
        )
        await stop(served, cache)
        let files = try ServedFolder.files(folder.url)
        #expect(!files.isEmpty)
        #expect(files.values.allSatisfy { $0 != Array("0123456789abcdef".utf8) })
        let played = await PlaybackTranscript.play(try asset(served, path, cache, timeout: .seconds(9)))
        #expect(played.ending == "io")
        #expect(played.message.contains("key"), "\(played.message)")
    }

    // MARK: What changes

    @Test(
        "Segments that change in place are revalidated by the next asset, even after the server was unreachable"
    )
    func changedInPlace() async throws {
        let files = try Presentation.files("ts")
        let (isDown, hasChanged) = (Locked(false), Locked(false))
        let served = try ServedFolder(files) { request, answer in
            guard request.path.hasSuffix(".ts") else { return }
            if isDown.withLock({ $0 }) { answer = FaultServer.Answer(503) }
            if hasChanged.withLock({ $0 }), request.path == "/1.ts" {
                answer = .file(files["/2.ts"] ?? [], for: request, tag: "\"other\"")
            }
        }
        let first = await PlaybackTranscript.play(try served.asset("/list.m3u8"))
        let (other, next) = (try served.asset("/list.m3u8"), try served.asset("/list.m3u8"))
        isDown.withLock { $0 = true }
        #expect(await PlaybackTranscript.play(other) == first)
        isDown.withLock { $0 = false }
        hasChanged.withLock { $0 = true }
        let played = await PlaybackTranscript.play(next)
        #expect(played != first)
        #expect(await PlaybackTranscript.play(try served.asset("/list.m3u8")) == played)
    }

    private static let head = "#EXTM3U\n#EXT-X-TARGETDURATION:0.1\n#EXT-X-MEDIA-SEQUENCE:"

    /// Serves one version of a playlist after the other, and then always the last one.
    private static func live(
        _ lists: [String],
        change: @escaping @Sendable (_ list: Int, FaultServer.Request, inout FaultServer.Answer) -> Void = {
            _,
            _,
            _ in
        }
    ) throws -> ServedFolder {
        let count = Locked(0)
        return try ServedFolder(try Presentation.files("ts")) {
            request,
            answer in
            if request.path == "/live.m3u8" {
                let index = count.withLock { count in
                    defer { count += 1 }
                    return min(count, lists.count - 1)
                }
                answer = .file(Array(lists[index].utf8), for: request, tag: "\"list \(index)\"")
            } else {
                change(count.withLock { $0 }, request, &answer)
            }
        }
    }

    @Test("A live presentation is not cached on disk")
    func growing() async throws {
        let served = try Self.live([
            Self.head + "0\n#EXTINF:1,\n0.ts\n#EXTINF:1,\n1.ts\n",
            Self.head + "1\n#EXTINF:1,\n1.ts\n#EXTINF:1,\n2.ts\n#EXT-X-ENDLIST\n",
        ])
        let folder = try TemporaryFolder()
        let cache = DiskCache(directory: folder.url)
        #expect(
            await PlaybackTranscript.play(try asset(served, "/live.m3u8", cache, timeout: .seconds(10)))
                .ending == "end"
        )
        await cache.flush()
        let names = try ServedFolder.files(folder.url).keys.filter { $0 != "/lock" }
        #expect(names.isEmpty, "\(names)")
    }

    @Test("A live presentation may reuse a URL for another segment", arguments: [true, false])
    func namesUsedAgain(_ hasTags: Bool) async throws {
        let source = try Presentation.folder("ts")
        let local = await PlaybackTranscript.play(Asset(url: source.file("list.m3u8")))
        let files = try ServedFolder.files(source.url)
        let served = try Self.live([
            Self.head + "0\n#EXTINF:1,\n0.ts\n", Self.head + "0\n#EXTINF:1,\n0.ts\n#EXTINF:1,\n1.ts\n",
            Self.head + "1\n#EXTINF:1,\n1.ts\n#EXTINF:1,\n0.ts\n#EXT-X-ENDLIST\n",
        ]) { list, request, answer in
            let name = list >= 3 && request.path == "/0.ts" ? "/2.ts" : request.path
            answer = .file(files[name] ?? [], for: request, tag: hasTags ? "\"\(name)\"" : nil)
        }
        let played = await PlaybackTranscript.play(try served.asset("/live.m3u8"))
        #expect(played.ending == "end")
        #expect(played.frames.filter { $0 != "stall" } == local.frames)
    }

    @Test("Opening a live presentation again reads its newest playlist", arguments: [true, false])
    func newest(_ isSameAsset: Bool) async throws {
        let served = try Self.live([
            Self.head + "0\n#EXTINF:1,\n0.ts\n", Self.head + "2\n#EXTINF:1,\n2.ts\n#EXT-X-ENDLIST\n",
        ])
        let asset = try served.asset("/live.m3u8")
        try await asset.load()
        let next = isSameAsset ? asset : try served.asset("/live.m3u8")
        let played = await PlaybackTranscript.play(next)
        #expect(played.ending == "end")
        #expect(!served.paths.contains("/1.ts"))
        #expect(served.paths.contains("/2.ts"), "\(served.paths)")
    }
}
