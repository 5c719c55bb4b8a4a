import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

/// Limits that change during playback from a server: every frame once and in order, and audio without gaps.
// Rule: variant-switch
@Suite(
    "HLS: switching variant streams",
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(10))
)
struct SwitchingTests {
    private static let kinds = ["five variants", "five variants of fmp4"]
    /// Limits that select one of the five variants, and the width of that variant.
    private static let small = (peak: 80_000.0, width: 64)
    private static let large = (peak: 0.0, width: 640)

    private static let grow = Switching.Act(500) { _, item, _ in item.preferredPeakBitRate = 0 }

    private func served(
        _ name: String,
        change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void = { _, _ in }
    ) throws -> ServedFolder {
        let folder = try Presentation.folder(name)
        return try ServedFolder(try ServedFolder.files(folder.url), change: change)
    }

    /// Plays an asset, beginning with the smallest variant.
    private func play(
        _ served: ServedFolder,
        _ acts: [Switching.Act],
        resume: @escaping @Sendable () async -> Void = {}
    ) async throws -> (plain: Switching, played: Switching) {
        let plain = await Switching.play(
            try served.asset("/master.m3u8"),
            peakBitRate: Self.small.peak
        )
        #expect(plain.widths == Array(repeating: Self.small.width, count: 90))
        let played = await Switching.play(
            try served.asset("/master.m3u8"),
            peakBitRate: Self.small.peak,
            acts: acts,
            resume: { _ in await resume() }
        )
        #expect(played.widths == played.widths.sorted())
        return (plain, played)
    }

    private func expectWhole(_ played: Switching, like plain: Switching, isTold: Bool = false) {
        #expect(played.failure == nil)
        #expect(played.times == plain.times)
        #expect(played.stalls == 0)
        #expect(played.end == plain.end)
        #expect(played.audio == plain.audio)
        #expect(played.faults.isEmpty == !isTold, "\(played.faults)")
    }

    @Test("A changed limit takes effect at a segment", arguments: kinds, [true, false])
    func limits(_ name: String, _ isUp: Bool) async throws {
        let served = try served(name)
        let (from, to) = isUp ? (Self.small, Self.large) : (Self.large, Self.small)
        let plain = await Switching.play(try served.asset("/master.m3u8"), peakBitRate: from.peak)
        #expect(plain.widths == Array(repeating: from.width, count: 90))
        let before = served.paths.count
        let act = Switching.Act(500) { _, item, _ in item.preferredPeakBitRate = to.peak }
        let asset = try served.asset("/master.m3u8")
        let played = await Switching.play(asset, peakBitRate: from.peak, acts: [act])
        expectWhole(played, like: plain)
        // A second ahead of the delivered frames, then the next segment, and a quarter of a second into it.
        let first = plain.times.count { $0 <= MediaTime(value: 2250, timescale: 1000) }
        #expect(played.widths == (0..<90).map { $0 < first ? from.width : to.width })
        // Only those segments of the new variant are fetched that are played.
        let place = isUp ? "/v4/" : "/v0/"
        let fetched = served.paths[before...].filter { $0.hasPrefix(place) }
        #expect(fetched.first == place + "list.m3u8")
        #expect(!fetched.contains { $0.contains("/0.") || $0.contains("/1.") }, "\(fetched)")
    }

    @Test(
        "A seek after the change shows its frames, and then the new variant takes over",
        arguments: kinds
    )
    func seek(_ name: String) async throws {
        let target = MediaTime(value: 800, timescale: 1000)
        let act = Switching.Act(500) { player, item, _ in
            item.preferredPeakBitRate = 0
            player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        let (plain, played) = try await play(try served(name), [act])
        #expect(played.failure == nil && played.stalls == 0)
        let landing = try #require(plain.times.last { $0 <= target })
        let before = MediaTime(value: 500, timescale: 1000)
        #expect(played.times == plain.times.filter { $0 <= before || $0 >= landing })
        #expect(played.widths.last == Self.large.width)
    }

    @Test("A pause before the change delays it and changes nothing else", arguments: kinds)
    func pause(_ name: String) async throws {
        let served = try served(name)
        let pause = Switching.Act(700) { player, _, _ in player.pause() }
        let (plain, played) = try await play(served, [Self.grow, pause]) {
            // All segments that the new variant needs have been requested.
            while !served.paths.contains(where: { $0.hasPrefix("/v4/2.") }) { await Task.yield() }
        }
        expectWhole(played, like: plain)
        #expect(Set(played.widths) == [Self.small.width, Self.large.width])
    }

    @Test(
        "A limit that is restored before the change takes effect changes nothing",
        arguments: kinds
    )
    func back(_ name: String) async throws {
        let back = Switching.Act(700) { _, item, _ in item.preferredPeakBitRate = Self.small.peak }
        let (plain, played) = try await play(try served(name), [Self.grow, back])
        expectWhole(played, like: plain)
        #expect(Set(played.widths) == [Self.small.width])
    }

    @Test("Of several changes the last one takes effect", arguments: kinds)
    func several(_ name: String) async throws {
        let acts = [(100, 0), (300, 160_000), (400, 230_000)].map { (time: Int64, peak: Double) in
            Switching.Act(time) { _, item, _ in item.preferredPeakBitRate = peak }
        }
        let (plain, played) = try await play(try served(name), acts)
        expectWhole(played, like: plain)
        #expect(Set(played.widths) == [Self.small.width, 240])
    }

    @Test(
        "If a variant is not available, the next best or the old one plays",
        arguments: kinds,
        [([4], 320), ([1, 2, 3, 4], 64)] as [([Int], Int)]
    )
    func missing(_ name: String, _ lost: (variants: [Int], width: Int)) async throws {
        let paths = lost.variants.map { "/v\($0)/list.m3u8" }
        let served = try served(name) { request, answer in
            if paths.contains(request.path) { answer = FaultServer.Answer(404) }
        }
        let (plain, played) = try await play(served, [Self.grow])
        expectWhole(played, like: plain)
        #expect(Set(played.widths) == [Self.small.width, lost.width])
        // The variant is requested a few times and then given up.
        #expect(1...3 ~= served.paths.count { $0 == "/v4/list.m3u8" })
    }

    @Test("If the segments of a variant are missing, the old one continues", arguments: kinds)
    func missingSegments(_ name: String) async throws {
        let served = try served(name) { request, answer in
            let isOther = !request.path.hasPrefix("/v0/")
            if isOther, request.path.contains("/2.") { answer = FaultServer.Answer(404) }
        }
        let (plain, played) = try await play(served, [Self.grow])
        // The size of a transport stream is known only after it is opened, and then the next variant is tried.
        expectWhole(played, like: plain, isTold: name != "five variants")
        #expect(Set(played.widths) == [Self.small.width])
    }

    @Test(
        "If segments of the variant that plays are missing, another variant takes over before them",
        arguments: kinds,
        [([4], 320), ([3, 4], 240)] as [([Int], Int)]
    )
    func lostSegment(_ name: String, _ lost: (variants: [Int], width: Int)) async throws {
        let paths = lost.variants.map { "/v\($0)/2." }
        let served = try served(name) { request, answer in
            if paths.contains(where: { request.path.hasPrefix($0) }) { answer = FaultServer.Answer(404) }
        }
        let plain = await Switching.play(try served.asset("/master.m3u8"), peakBitRate: Self.small.peak)
        let played = await Switching.play(try served.asset("/master.m3u8"))
        expectWhole(played, like: plain, isTold: true)
        #expect(Set(played.widths) == [Self.large.width, lost.width])
        #expect(played.widths == played.widths.sorted(by: >))
    }

    @Test("If no variant has a segment, the others are played", arguments: kinds)
    func lostEverywhere(_ name: String) async throws {
        let served = try served(name) { request, answer in
            if request.path.contains("/1.") { answer = FaultServer.Answer(404) }
        }
        let whole = try self.served(name)
        let plain = await Switching.play(try whole.asset("/master.m3u8"))
        let played = await Switching.play(try served.asset("/master.m3u8"))
        #expect(played.failure == nil && !played.faults.isEmpty)
        #expect(played.times == Array(plain.times.prefix(30) + plain.times.suffix(30)))
    }

    @Test("A layer that grows while playing selects a larger variant", arguments: kinds)
    func layer(_ name: String) async throws {
        let served = try served(name)
        let size = PixelSize(width: 64, height: 36)
        let plain = await Switching.play(try served.asset("/master.m3u8"), size: size)
        #expect(plain.times.count == 90)
        #expect(served.paths.allSatisfy { $0 == "/master.m3u8" || $0.hasPrefix("/v0/") }, "\(served.paths)")
        let before = served.paths.count
        let act = Switching.Act(500) { _, _, layer in layer.size = PixelSize(width: 320, height: 180) }
        let played = await Switching.play(try served.asset("/master.m3u8"), size: size, acts: [act])
        expectWhole(played, like: plain)
        #expect(served.paths[before...].contains { $0.hasPrefix("/v3/2.") }, "\(served.paths[before...])")
    }
}
