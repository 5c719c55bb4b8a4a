import Foundation
import MediaCore
import Network
import Playhead
import TestSupport
import Testing

/// Closes players and loads at random moments while a server hangs. The caller must not block, and all connections
/// must end.
@Suite(
    "Closing at any moment",
    .serialized,
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(10))
)
struct ClosingTests {
    enum Way: String, CaseIterable {
        case release, replace, stop, load, still

        /// Loading and still images never read the second segment.
        static func all(at place: HangingPlace) -> [Way] {
            place == .secondSegment ? [.release, .replace, .stop] : allCases
        }
    }

    struct Moment {
        var place: HangingPlace
        var way: Way
        /// The time that the caller waits, and the time until everything is closed.
        var caller = Duration.zero
        var down = Duration.zero
    }

    /// The places where a server may hang. Host names only if a stub resolver is preloaded, as
    /// `Benchmarks/letgo/letgo.sh` does.
    private static var places: [HangingPlace] {
        HangingPlace.allCases.filter { $0 != .dns || StubResolver.hangs != nil }
    }

    private static func close(seed: UInt64) async throws -> Moment {
        var draw = SplitMix64(seed)
        // All places occur equally often.
        let place = places[Int(seed % UInt64(places.count))]
        let way = Way.all(at: place).randomElement(using: &draw) ?? .release
        var moment = Moment(place: place, way: way)
        let scene = try HangingScene(place, offset: Int.random(in: 1..<80_000, using: &draw))
        let pause = Duration.microseconds(Int.random(in: 0..<40_000, using: &draw))
        let hangsBefore = StubResolver.hangs?() ?? 0
        // The source counts the requests of a film. The server counts those of a playlist.
        let isFilm = place != .key && place != .secondSegment
        let source = isFilm ? try HTTPRepresentation(url: scene.url.absoluteString) : nil
        let asset = Asset(url: scene.url, options: AssetOptions(byteSource: source))
        let clock = ContinuousClock()
        let reached = {
            while try !scene.isReached(hangs: (StubResolver.hangs?() ?? 0) - hangsBefore) {
                await Task.yield()
            }
            let now = clock.now
            while clock.now - now < pause { await Task.yield() }
        }
        let closeTime: ContinuousClock.Instant
        var player: Player?
        switch way {
        case .load, .still:
            let generator = ImageGenerator(asset: asset)
            let work = Task {
                if way == .load { try await asset.load() } else { _ = try await generator.image(at: .zero) }
            }
            try await reached()
            closeTime = clock.now
            work.cancel()
            moment.caller = clock.now - closeTime
            _ = await work.result
        case .release, .replace, .stop:
            var configuration = Player.Configuration()
            configuration.audio = .none
            let newPlayer = Player(configuration: configuration)
            player = newPlayer
            newPlayer.play()
            newPlayer.replaceCurrentItem(with: PlayerItem(asset: asset))
            try await reached()
            closeTime = clock.now
            switch way {
            case .replace: newPlayer.replaceCurrentItem(with: nil)
            case .stop:
                newPlayer.pause()
                newPlayer.replaceCurrentItem(with: PlayerItem(url: Fixture.url("clip-h264-aac.mp4")))
            default: newPlayer.shutdown {}
            }
            moment.caller = clock.now - closeTime
        }
        while try source.map({ $0.fetchCount > 0 }) ?? false || !scene.isLeft() { await Task.yield() }
        moment.down = clock.now - closeTime
        await player?.shutdown()
        return moment
    }

    /// With PLAYHEAD_MOMENTS, that many moments are tested and their durations are printed.
    @Test("Closing ends all connections, requests and players")
    func anyMoment() async throws {
        let environment = ProcessInfo.processInfo.environment
        let wanted = environment["PLAYHEAD_MOMENTS"].flatMap(Int.init)
        let first = environment["PLAYHEAD_SEED"].flatMap(UInt64.init) ?? 0
        var moments: [Moment] = []
        for seed in first..<first + UInt64(wanted ?? 36) { moments.append(try await Self.close(seed: seed)) }
        for place in Self.places {
            #expect(moments.contains { $0.place == place }, "nothing was closed at \(place)")
        }
        guard wanted != nil else { return }
        Self.line("caller", moments.map(\.caller))
        Self.line("all down", moments.map(\.down))
        for place in Self.places {
            let those = moments.filter { $0.place == place }
            Self.line("\(place): \(those.count), all down", those.map(\.down))
        }
        for way in Way.allCases {
            let those = moments.filter { $0.way == way }
            Self.line("\(way): \(those.count), caller", those.map(\.caller))
        }
    }

    private static func line(_ name: String, _ times: [Duration]) {
        guard !times.isEmpty else { return }
        let sorted = times.sorted()
        let parts = [0.5, 0.99, 1].map { part in
            let index = min(sorted.count - 1, Int(Double(sorted.count) * part))
            return String(format: "%.1f ms", sorted[index] / .milliseconds(1))
        }
        print("\(name): median \(parts[0]), 99 % \(parts[1]), worst \(parts[2])")
    }
}
