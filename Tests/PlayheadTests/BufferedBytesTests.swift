import Foundation
import MediaCore
import PlaybackEngine
import PlayheadTesting
import TestSupport
import Testing

@testable import PlayheadCore

// Rule: shared-memory
@Suite("Shares of the memory for network data")
struct BufferShareTests {
    private typealias Claim = BudgetAllocation.Claim

    /// An audible, a playing and a paused player.
    private static let claims = [
        Claim(order: 3), Claim(isHeard: true, isPlaying: true, order: 2), Claim(isPlaying: true, order: 1),
    ]

    @Test(
        "Every player gets the minimum, and the rest is granted in the order of precedence",
        arguments: [
            (1000, [100, 100, 100], [100, 100, 100]), (250, [100, 100, 100], [50, 100, 100]),
            (200, [100, 100, 100], [20, 100, 80]), (60, [100, 100, 100], [20, 20, 20]),
            (0, [100, 100, 100], [20, 20, 20]), (-5, [100, 100, 100], [20, 20, 20]),
            (100, [100, 0, 100], [20, 0, 80]), (100, [0, 5, 0], [0, 5, 0]),
            (90, [.max, .max, -1], [20, 70, 0]),
        ] as [(Int, [Int], [Int])]
    )
    func shares(_ byteCount: Int, _ wanted: [Int], _ expected: [Int]) {
        let shares = BudgetAllocation.shares(Self.claims, wanted: wanted, of: byteCount, minimum: 20)
        #expect(shares == expected)
    }

    @Test(
        "For random claims, the total is exceeded only by the minimums, and no share exceeds the demand"
    )
    func drawn() {
        var random = SplitMix64(7)
        for _ in 0..<2000 {
            let claims = (0..<Int.random(in: 0...9, using: &random)).map {
                Claim(
                    isHeard: .random(using: &random),
                    isPlaying: .random(using: &random),
                    order: UInt64($0)
                )
            }
            let wanted = claims.map { _ in Int.random(in: 0...100, using: &random) }
            let byteCount = Int.random(in: 0...400, using: &random)
            let shares = BudgetAllocation.shares(claims, wanted: wanted, of: byteCount, minimum: 10)
            let least = wanted.reduce(0) { $0 + min($1, 10) }
            #expect(shares.reduce(0, +) <= max(byteCount, least))
            #expect(zip(shares, wanted).allSatisfy { $0 <= $1 && $0 >= min($1, 10) })
            // If a player gets less than it wants, all following ones get the minimum.
            for (one, other) in zip(claims.indices, claims.indices.reversed())
            where shares[one] < wanted[one] && claims[one].precedes(claims[other]) && one != other {
                #expect(shares[other] == min(wanted[other], 10))
            }
        }
    }

    @Test("Half of a share is for packets ahead, and no share is below the minimum")
    func parts() {
        let share = BufferShare(byteCount: 1 << 20)
        #expect(share.packets.ahead == 512 << 10 && share.packets.back == 256 << 10)
        #expect(share.source == 256 << 10)
        #expect(BufferShare(byteCount: -1) == BufferShare(byteCount: BufferShare.minimumByteCount))
    }
}

// Rule: shared-memory
@Suite("Players over a network that share memory")
struct BufferedBytesTests {
    /// Players with a clip of 100 s at 25,000 bytes per second each, on one clock.
    private final class Bench {
        let driver = ManualDriver(settlesByItself: true)
        let budget = PlaybackBudget()
        var players: [Player] = []
        var members: [PlaybackBudget.Membership] = []

        init(_ count: Int, bytes: Int?, isLocal: Bool = false) {
            let backend = ScriptedBackend(driver: driver)
            budget.limits.bufferedByteCount = bytes
            for _ in 0..<count {
                let player = Player(configuration: Player.Configuration(driver: driver, backend: backend))
                players.append(player)
                members.append(budget.join(player))
            }
            var media = ScriptedMedia(video: .init(frameCount: 2500))
            media.isLocal = isLocal
            for player in players {
                player.isMuted = true
                player.replaceCurrentItem(with: backend.makeItem(media))
                player.play()
            }
            driver.run(seconds: 0.5)
        }

        /// The seconds of media that are buffered from the present time on.
        func ahead(_ place: Int) -> Double {
            guard let item = players[place].currentItem else { return 0 }
            return (item.loadedTimeRanges.last?.end ?? .zero).seconds - item.currentTime().seconds
        }

        /// The seconds of played media that are kept.
        func behind(_ place: Int) -> Double {
            guard let item = players[place].currentItem else { return 0 }
            return item.currentTime().seconds - (item.loadedTimeRanges.first?.start ?? .zero).seconds
        }
    }

    /// 128 KB of packets, and the frames that are decoded of them.
    private static let little = 5.0...5.7
    /// Loaded ranges are reported in steps of a quarter of a second.
    private static let all = 19.4...20.3

    @Test(
        "The audible player reads as far ahead as without a limit, and the others read less"
    )
    func heard() {
        let bench = Bench(4, bytes: 4 << 20)
        bench.players[0].isMuted = false
        bench.driver.run(seconds: 0.5)
        #expect(Self.all ~= bench.ahead(0), "\(bench.ahead(0))")
        for place in 1..<4 { #expect(Self.little ~= bench.ahead(place), "\(bench.ahead(place))") }
        let least = 1 << 18
        #expect(bench.members.map(\.bufferedByteLimit) == [13 * least, least, least, least])
        bench.players[0].isMuted = true
        bench.players[2].isMuted = false
        bench.driver.run(seconds: 0.5)
        #expect(Self.all ~= bench.ahead(2), "\(bench.ahead(2))")
        // The buffered data is played before more is read.
        bench.driver.run(seconds: 16)
        #expect(Self.little ~= bench.ahead(0), "\(bench.ahead(0))")
        #expect(bench.behind(1) <= 3.5 && bench.behind(2) >= 9)
        // No player stalls.
        #expect(bench.players.allSatisfy { $0.timeControlStatus == .playing && $0.counters.stalls == 0 })
    }

    @Test("Removing the limit, and leaving the budget, restore the full buffer")
    func lifted() {
        let bench = Bench(3, bytes: 1)
        for place in 0..<3 { #expect(Self.little ~= bench.ahead(place), "\(bench.ahead(place))") }
        bench.members.removeLast()
        bench.driver.run(seconds: 0.5)
        #expect(Self.all ~= bench.ahead(2) && Self.little ~= bench.ahead(1))
        bench.budget.limits.bufferedByteCount = nil
        bench.driver.run(seconds: 0.5)
        for place in 0..<3 { #expect(Self.all ~= bench.ahead(place), "\(bench.ahead(place))") }
        #expect(bench.members.allSatisfy { $0.bufferedByteLimit == nil })
    }

    @Test("Fifty players together stay below the limit, and the audible one has its full buffer")
    func many() {
        let bench = Bench(50, bytes: 16 << 20)
        bench.players[30].isMuted = false
        bench.driver.run(seconds: 0.5)
        #expect(Self.all ~= bench.ahead(30), "\(bench.ahead(30))")
        let bytes = bench.players.reduce(0) { $0 + $1.counters.bytesRead }
        // Without a limit each player holds half a megabyte.
        #expect(bytes <= 16 << 20)
        let free = Bench(50, bytes: nil)
        #expect(free.players.reduce(0) { $0 + $1.counters.bytesRead } > 24_000_000)
    }

    @Test("Local files are read on demand and have no share")
    func files() {
        let bench = Bench(3, bytes: 1, isLocal: true)
        #expect(bench.members.allSatisfy { $0.bufferedByteLimit == nil })
    }

    @Test(
        "The estimated demand follows the policy and the bit rate, and does not exceed the policy's limits"
    )
    func wanted() {
        let policy = BufferingPolicy()
        let most = (32 << 20) + (16 << 20) + (4 << 20)
        let unknown = PlayerItem(
            asset: Asset(url: URL(string: "http://127.0.0.1:9/film.mp4") ?? URL(fileURLWithPath: "/"))
        )
        #expect(BufferShare.demand(of: unknown, policy) == most)
        #expect(BufferShare.demand(of: PlayerItem(url: URL(fileURLWithPath: "/film.mp4")), policy) == 0)
        var known = MediaDescription(formatName: "script")
        known.isLocal = false
        known.byteCount = 10_000_000
        known.duration = .ms(100_000)
        unknown.asset.opened(.success(known))
        // 100,000 bytes per second for 20 s ahead and 10 s behind, plus one half.
        #expect(BufferShare.demand(of: unknown, policy) == 4_500_000 + (4 << 20))
        unknown.preferredForwardBufferDuration = 5
        #expect(BufferShare.demand(of: unknown, policy) == 2_250_000 + (4 << 20))
        known.byteCount = 10_000_000_000
        let large = PlayerItem(asset: Asset(url: unknown.asset.url))
        large.asset.opened(.success(known))
        #expect(BufferShare.demand(of: large, policy) == most)
        // A playlist counts with the best variant that may be played.
        var listed = MediaDescription(formatName: "hls")
        listed.isLocal = false
        listed.variants = [800_000.0, 1_600_000].map {
            Variant(peakBitRate: $0, size: .zero, codecs: [], trackIDs: [])
        }
        let playlist = PlayerItem(asset: Asset(url: unknown.asset.url))
        playlist.asset.opened(.success(listed))
        #expect(BufferShare.demand(of: playlist, policy) == 9_000_000 + (4 << 20))
        playlist.preferredPeakBitRate = 1_000_000
        #expect(BufferShare.demand(of: playlist, policy) == 4_500_000 + (4 << 20))
        playlist.preferredPeakBitRate = 1000
        #expect(BufferShare.demand(of: playlist, policy) == 4_500_000 + (4 << 20))
    }
}
