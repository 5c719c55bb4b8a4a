import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// On the real-time driver, waiting for bytes occupies no thread.
@Suite(
    "A hundred players that wait for bytes",
    .serialized,
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(10))
)
struct WaitingThreadsTests {
    private static func configuration() -> Player.Configuration {
        var configuration = Player.Configuration()
        configuration.audio = .none
        return configuration
    }

    /// A bench whose data is missing from the fraction `part` on.
    private static func source(_ part: Double) throws -> ScriptedByteSource {
        let source = try ScriptedByteSource(
            contentsOfFile: Fixture.path("clip-h264-aac.mp4"),
            waiting: .throwsNotReady,
            isLocal: false
        )
        source.limitReads(to: 2048)
        source.hold(Int64(Double(source.byteCount ?? 0) * part)..<Int64(Double(source.byteCount ?? 0) * 0.9))
        return source
    }

    /// Returns the number of threads besides those that there were before, once it is small, or after a minute. Idle
    /// threads end after a while. Threads that wait for bytes would not.
    private static func fewestThreads(besides earlier: Int) async throws -> Int {
        let deadline = ContinuousClock.now + .seconds(60)
        var threads = try OwnThreads.count() - earlier
        while threads > OwnThreads.bound, ContinuousClock.now < deadline {
            await Task.yield()
            threads = try OwnThreads.count() - earlier
        }
        return threads
    }

    /// With PLAYHEAD_FIGURES the counts and measurements are printed.
    @Test(
        "Players that wait while opening, and during playback, occupy no threads",
        arguments: [0.001, 0.15]
    )
    func players(_ part: Double) async throws {
        let left = try OwnThreads.count()
        let sources = try (0..<100).map { _ in try Self.source(part) }
        let players = sources.map { source in
            let player = Player(configuration: Self.configuration())
            let options = AssetOptions(byteSource: source)
            let asset = Asset(url: Fixture.url("clip-h264-aac.mp4"), options: options)
            player.replaceCurrentItem(with: PlayerItem(asset: asset))
            return player
        }
        for source in sources { await source.until { $0.waits >= 1 } }
        let threads = try await Self.fewestThreads(besides: left)
        #expect(threads <= OwnThreads.bound)

        // A file is played at the same time.
        let clock = ContinuousClock()
        let begun = clock.now
        let player = Player(configuration: Self.configuration())
        let item = PlayerItem(url: Fixture.url("clip-h264-aac.mp4"))
        let events = player.events
        player.replaceCurrentItem(with: item)
        for await event in events { if case .itemStatusChanged(_, .readyToPlay) = event { break } }

        if ProcessInfo.processInfo.environment["PLAYHEAD_FIGURES"] != nil {
            let time = String(format: "%.0f", (clock.now - begun) / .milliseconds(1))
            print("held from \(part): \(threads) threads; a file beside them is ready in \(time) ms")
        }

        // The bytes arrive, and all players continue.
        for source in sources { source.release() }
        for player in players {
            while player.currentItem?.status == .unknown { await Task.yield() }
            #expect(player.currentItem?.status == .readyToPlay)
        }
        for player in players + [player] { await player.shutdown() }
    }

    @Test(
        "More blocking sources than there are threads delay no file"
    )
    func blocking() async throws {
        let sources = try (0..<200).map { _ in
            let source = try ScriptedByteSource(contentsOfFile: Fixture.path("clip-h264-aac.mp4"))
            source.hold(0..<1)
            return source
        }
        let players = sources.map { source in
            let player = Player(configuration: Self.configuration())
            let asset = Asset(
                url: Fixture.url("clip-h264-aac.mp4"),
                options: AssetOptions(byteSource: source)
            )
            player.replaceCurrentItem(with: PlayerItem(asset: asset))
            return player
        }
        while sources.count(where: { $0.counts.waits > 0 }) < 130 { await Task.yield() }

        let item = PlayerItem(url: Fixture.url("clip-h264-aac.mp4"))
        let player = Player(configuration: Self.configuration())
        player.replaceCurrentItem(with: item)
        let stills = ImageGenerator(asset: Asset(url: Fixture.url("clip-h264-aac.mp4")))
        #expect(try await stills.image(at: .zero).actualTime == .zero)
        while item.status == .unknown { await Task.yield() }
        #expect(item.status == .readyToPlay)

        for source in sources { source.release() }
        for player in players + [player] { await player.shutdown() }
    }

    @Test("Loading assets and image generators occupy no threads")
    func assetsAndStills() async throws {
        let left = try OwnThreads.count()
        let sources = try (0..<100).map { _ in try Self.source(0.001) }
        let assets = sources.map {
            Asset(url: Fixture.url("clip-h264-aac.mp4"), options: AssetOptions(byteSource: $0))
        }
        let stills = sources.map {
            let asset = Asset(url: Fixture.url("clip-h264-aac.mp4"), options: AssetOptions(byteSource: $0))
            return ImageGenerator(asset: asset)
        }
        let loads = assets.map { asset in Task { try await asset.load() } }
        let images = stills.map { generator in Task { try await generator.image(at: .zero).actualTime } }
        for source in sources { await source.until { $0.readers >= 2 && $0.waits >= 2 } }
        #expect(try await Self.fewestThreads(besides: left) <= OwnThreads.bound)
        for source in sources { source.release() }
        for load in loads { try await load.value }
        for image in images { #expect(try await image.value == .zero) }
    }
}
