import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

/// Changes of the variant stream in live presentations and across discontinuities: every frame once and in order, and
/// audio without gaps.
@Suite(
    "HLS: switching in live presentations and across discontinuities",
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(10))
)
struct LiveSwitchingTests {
    private static let small = (peak: 80_000.0, width: 64)
    private static let large = (peak: 0.0, width: 640)

    /// Serves five variant streams. `list` returns the playlist of a variant by its number and the number of earlier
    /// requests for it.
    private func served(_ list: @escaping @Sendable (_ variant: Int, _ count: Int) -> String) throws
        -> ServedFolder
    {
        let folder = try Presentation.folder("five variants")
        let count = Locked(0)
        return try ServedFolder(try ServedFolder.files(folder.url)) { request, answer in
            guard let variant = (0..<5).first(where: { request.path == "/v\($0)/list.m3u8" }) else { return }
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            answer = FaultServer.Answer(200, body: Array(list(variant, number).utf8))
        }
    }

    private static func segments(_ numbers: some Sequence<Int>) -> String {
        numbers.map { "#EXTINF:1,\n\($0).ts\n" }.joined()
    }

    private static let broken =
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + segments([0, 1]) + "#EXT-X-DISCONTINUITY\n" + segments([0, 1])
        + "#EXT-X-DISCONTINUITY\n" + segments([1, 2]) + "#EXT-X-ENDLIST\n"

    @Test("The presentation size is that of the frames, even if nothing watches them")
    func unwatchedSize() async throws {
        let folder = try Presentation.folder("five variants")
        let lines =
            ["v0/0", "v0/1", "v0/2"].map { "#EXTINF:1,\n\($0).ts\n" }.joined()
            + "#EXT-X-DISCONTINUITY\n" + ["v2/0", "v2/1", "v2/2"].map { "#EXTINF:1,\n\($0).ts\n" }.joined()
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(lines)#EXT-X-ENDLIST\n"
        try folder.write("sizes.m3u8", Array(list.utf8))
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let item = PlayerItem(asset: Asset(url: folder.file("sizes.m3u8")))
        let sizes = Locked<[PixelSize]>([])
        let token = player.onEvent { event in
            if case .presentationSizeChanged(_, let size) = event.event { sizes.withLock { $0.append(size) } }
        }
        player.replaceCurrentItem(with: item)
        try await player.playToEnd()
        #expect(player.counters.framesDecoded < player.counters.framesPresented)
        // The pixels of the second size are not square.
        let expected = [PixelSize(width: 64, height: 36), PixelSize(width: 242, height: 136)]
        #expect(sizes.withLock { $0.filter { !$0.isEmpty } } == expected)
        #expect(item.presentationSize == expected[1])
        withExtendedLifetime(token) {}
        await player.shutdown()
    }

    @Test(
        "The variant changes before, at and after a discontinuity",
        arguments: ([100, 500, 900, 1500, 2500, 3300] as [Int64]).samples,
        [true, false]
    )
    func discontinuities(at milliseconds: Int64, isUp: Bool) async throws {
        let (from, to) = isUp ? (Self.small, Self.large) : (Self.large, Self.small)
        let served = try served { _, _ in Self.broken }
        let plain = await Switching.play(try served.asset("/master.m3u8"), peakBitRate: from.peak)
        #expect(plain.widths.count > 170 && Set(plain.widths) == [from.width])
        let act = Switching.Act(milliseconds) { _, item, _ in item.preferredPeakBitRate = to.peak }
        let played = await Switching.play(
            try served.asset("/master.m3u8"),
            peakBitRate: from.peak,
            acts: [act]
        )
        #expect(played.failure == nil)
        #expect(played.faults == [])
        #expect(played.times == plain.times)
        #expect(played.stalls == 0)
        #expect(played.end == plain.end)
        // The first samples after a discontinuity depend on the state of the decoder.
        let isBefore = milliseconds == 100
        func audio(_ switching: Switching) -> Substring { switching.audio.prefix { !isBefore || $0 != " " } }
        #expect(audio(played) == audio(plain))
        #expect(played.widths.last == to.width)
        #expect(played.widths == (isUp ? played.widths.sorted() : played.widths.sorted(by: >)))
    }

    /// The second map has other parameters and another size than the first one.
    @Test("The first map returns after another one, also when its packets are decoded again after a seek")
    func returningMap() async throws {
        let folder = try Presentation.folder("five variants of fmp4")
        func part(_ variant: Int, _ number: Int) -> String {
            "#EXT-X-MAP:URI=\"v\(variant)/init.mp4\"\n#EXTINF:1,\nv\(variant)/\(number).m4s\n"
        }
        let parts = [part(0, 0), part(4, 0), part(0, 1)]
        let list =
            "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:1\n"
            + parts.joined(separator: "#EXT-X-DISCONTINUITY\n") + "#EXT-X-ENDLIST\n"
        try folder.write("maps.m3u8", Array(list.utf8))
        let plain = await Switching.play(Asset(url: folder.file("maps.m3u8")))
        #expect(plain.failure == nil && plain.faults == [])
        let widths = [Self.small.width, Self.large.width, Self.small.width]
        #expect(plain.widths == widths.flatMap { Array(repeating: $0, count: 30) })
        // In the second part, between two frames.
        let stop = MediaTime(value: 1710, timescale: 1000)
        let target = MediaTime(value: 510, timescale: 1000)
        let hasSought = Locked(false)
        let act = Switching.Act(1710) { player, _, _ in
            let isFirst = hasSought.withLock { hasSought in
                defer { hasSought = true }
                return !hasSought
            }
            guard isFirst else { return }
            player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        let sought = await Switching.play(Asset(url: folder.file("maps.m3u8")), acts: [act])
        let landing = try #require(plain.times.last { $0 <= target })
        #expect(sought.failure == nil && sought.faults == [])
        let before = plain.frames.filter { $0.time <= stop }
        let after = plain.frames.filter { $0.time >= landing }
        #expect(sought.frames == before + after)
        withExtendedLifetime(folder) {}
    }

    /// The new variant is opened when its playlist begins after the discontinuity.
    @Test("The variant changes after a discontinuity has left the live window")
    func afterDiscontinuity() async throws {
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:0.1\n#EXT-X-SERVER-CONTROL:HOLD-BACK=9\n"
        let later = Self.segments(0..<3)
        let whole = head + Self.segments([0, 1]) + "#EXT-X-DISCONTINUITY\n" + later
        let tags = "#EXT-X-MEDIA-SEQUENCE:2\n#EXT-X-DISCONTINUITY-SEQUENCE:1\n"
        let slid = head + tags + later + "#EXT-X-ENDLIST\n"
        let recorded = try served { _, _ in whole + "#EXT-X-ENDLIST\n" }
        let plain = await Switching.play(
            try recorded.asset("/master.m3u8"),
            peakBitRate: Self.small.peak
        )
        #expect(plain.widths.count == 150)
        let isSwitched = Locked(false)
        let served = try served { variant, _ in
            variant == 0 && !isSwitched.withLock { $0 } ? whole : slid
        }
        let act = Switching.Act(2500) { _, item, _ in
            isSwitched.withLock { $0 = true }
            item.preferredPeakBitRate = Self.large.peak
        }
        let played = await Switching.play(
            try served.asset("/master.m3u8"),
            peakBitRate: Self.small.peak,
            acts: [act]
        )
        #expect(played.failure == nil)
        #expect(played.faults == [])
        #expect(played.times == plain.times)
        #expect(played.widths.first == Self.small.width)
        #expect(played.widths.last == Self.large.width)
        #expect(recorded.paths.contains("/v0/list.m3u8") && served.paths.contains("/v4/list.m3u8"))
    }

    /// Returns one of three versions of a playlist with three segments. The last version has lost the first segment.
    private static func stage(_ number: Int) -> String {
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:0.1\n#EXT-X-MEDIA-SEQUENCE:"
        switch number {
        case ...0: return head + "0\n" + segments([0])
        case 1, 2: return head + "0\n" + segments([0, 1])
        default: return head + "1\n" + segments([1, 2]) + "#EXT-X-ENDLIST\n"
        }
    }

    /// The playlist of the other variant is `lag` versions older.
    @Test(
        "The variant changes while a live playlist slides, even if the playlist of the other variant is older",
        arguments: [0, 1, 2]
    )
    func live(lag: Int) async throws {
        let whole = try served { _, _ in
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + Self.segments(0..<3) + "#EXT-X-ENDLIST\n"
        }
        let plain = await Switching.play(try whole.asset("/master.m3u8"), peakBitRate: Self.small.peak)
        #expect(plain.widths.count == 90)
        let served = try served { variant, count in Self.stage(variant == 0 ? count : count - lag) }
        let act = Switching.Act(500) { _, item, _ in item.preferredPeakBitRate = Self.large.peak }
        let played = await Switching.play(
            try served.asset("/master.m3u8"),
            peakBitRate: Self.small.peak,
            acts: [act]
        )
        #expect(played.failure == nil)
        #expect(played.faults == [])
        #expect(played.times == plain.times)
        #expect(played.audio == plain.audio)
        #expect(played.widths == played.widths.sorted())
        #expect(Set(played.widths).isSubset(of: [Self.small.width, Self.large.width]))
        #expect(served.paths.contains("/v4/list.m3u8"), "\(served.paths)")
    }
}
