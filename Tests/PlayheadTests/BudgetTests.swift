import Dispatch
import Foundation
import MediaCore
import PlayheadBackend
import PlayheadTesting
import TestSupport
import Testing

@testable import PlayheadCore

// Rule: budget
@Suite("Budget allocation")
struct BudgetAllocationTests {
    private typealias Claim = BudgetAllocation.Claim

    private static func claim(_ words: String, _ order: UInt64, bytes: Int = 1, priority: Double = 0) -> Claim
    {
        Claim(
            isHeard: words == "heard",
            isPlaying: words != "stands",
            priority: priority,
            order: order,
            byteCount: bytes
        )
    }

    @Test(
        "Playing precedes paused, and audible precedes silent; equal players are ordered by their last change"
    )
    func order() {
        let claims = [
            Self.claim("stands", 1), Self.claim("stands", 6), Self.claim("plays", 4), Self.claim("plays", 2),
            Self.claim("heard", 5), Self.claim("stands", 3, priority: 1),
        ]
        // The players that are admitted, by the limit.
        let expected = [[4], [4, 3], [4, 3, 2], [4, 3, 2, 5], [4, 3, 2, 5, 1], [4, 3, 2, 5, 1, 0]]
        for (count, places) in zip(1..., expected) {
            let met = BudgetAllocation.admitted(claims, playerCount: count, byteCount: nil)
            #expect(Set(claims.indices.filter { met[$0] }) == Set(places), "\(count)")
        }
        #expect(BudgetAllocation.admitted(claims, playerCount: nil, byteCount: nil).allSatisfy { $0 })
    }

    @Test("A claim that exceeds the memory limit is skipped, and the first claim is always met")
    func bytes() {
        let claims = [
            Self.claim("plays", 1, bytes: 60), Self.claim("plays", 2, bytes: 50),
            Self.claim("plays", 3, bytes: 40),
        ]
        #expect(BudgetAllocation.admitted(claims, playerCount: nil, byteCount: 100) == [true, false, true])
        #expect(BudgetAllocation.admitted(claims, playerCount: nil, byteCount: 10) == [true, false, false])
        let huge = [Self.claim("plays", 1, bytes: .max), Self.claim("plays", 2, bytes: .max)]
        #expect(BudgetAllocation.admitted(huge, playerCount: nil, byteCount: nil) == [true, false])
        #expect(BudgetAllocation.admitted([], playerCount: 1, byteCount: 1) == [])
    }

    @Test(
        "For random claims, no limit is exceeded, and no claim that fits is refused for a later one"
    )
    func drawn() {
        var random = SplitMix64(15)
        for _ in 0..<2000 {
            let claims = (0..<Int.random(in: 1...12, using: &random)).map { place in
                Self.claim(
                    ["heard", "plays", "stands"].randomElement(using: &random)!,
                    UInt64(place),
                    bytes: .random(in: 0...9, using: &random),
                    priority: .random(in: -1...1, using: &random)
                )
            }
            let (count, bytes) = (
                Int.random(in: 1...8, using: &random), Int.random(in: 0...30, using: &random)
            )
            let met = BudgetAllocation.admitted(claims, playerCount: count, byteCount: bytes)
            let inside = claims.indices.filter { met[$0] }
            let used = inside.reduce(0) { $0 + claims[$1].byteCount }
            #expect(inside.count <= count && (used <= bytes || inside.count == 1) && !inside.isEmpty)
            for out in claims.indices where !met[out] && inside.count < count {
                #expect(
                    used + claims[out].byteCount > bytes
                        || inside.contains { claims[$0].precedes(claims[out]) }
                )
            }
        }
    }
}

// Rule: budget
@Suite("Players that share a budget")
struct BudgetTests {
    /// Players with a clip of two seconds each, on one clock.
    private final class Bench {
        let driver = ManualDriver(settlesByItself: true)
        let budget = PlaybackBudget()
        let backend: ScriptedBackend
        var players: [Player] = []
        var members: [PlaybackBudget.Membership] = []
        var urls: [URL] = []

        init(_ count: Int) {
            backend = ScriptedBackend(driver: driver)
            for _ in 0..<count {
                let url = backend.add(.clip())
                let player = Player(configuration: Player.Configuration(driver: driver, backend: backend))
                player.repeatMode = .loop
                player.isMuted = true
                urls.append(url)
                players.append(player)
                members.append(budget.join(player))
                player.replaceCurrentItem(with: PlayerItem(asset: backend.makeAsset(at: url)))
            }
            driver.run(seconds: 0.1)
        }

        var open: [Int] { players.indices.filter { players[$0].currentItem != nil } }
        var playing: [Int] { players.indices.filter { players[$0].timeControlStatus == .playing } }
    }

    @Test(
        "With a limit of zero or less each member gets what it needs to play",
        arguments: [.min, -1, 0]
    )
    func negative(limit: Int) {
        let claims = [BudgetAllocation.Claim(), BudgetAllocation.Claim()]
        #expect(BudgetAllocation.shares(claims, wanted: [.max, 5], of: limit, minimum: 10) == [10, 5])
    }

    @Test("Without limits no player is suspended")
    func unlimited() {
        let bench = Bench(5)
        for player in bench.players { player.play() }
        bench.driver.run(seconds: 1)
        #expect(bench.playing == [0, 1, 2, 3, 4])
        #expect(bench.budget.usage.players == 5 && bench.budget.usage.openPlayers == 5)
    }

    @Test(
        "A suspended player keeps its item, position, rate and loaded asset, and reads and decodes nothing"
    )
    func suspended() {
        let bench = Bench(3)
        for player in bench.players { player.play() }
        bench.driver.run(seconds: 0.8)
        bench.budget.limits.openPlayers = 2
        bench.driver.run(seconds: 0)
        #expect(bench.open == [0, 1] && bench.playing == [0, 1])
        let item = bench.members[2].suspendedItem
        #expect(item?.currentTime() == .ms(800) && item?.asset.tracks.count == 2)
        #expect(bench.players[2].rate == 1 && bench.backend.counts(of: bench.urls[2]).cancelled > 0)
        let before = bench.backend.counts(of: bench.urls[2])
        bench.driver.run(seconds: 3)
        #expect(bench.backend.counts(of: bench.urls[2]) == before)
        #expect(bench.budget.usage.suspendedPlayers == 1)
        // When the limit allows it, playback resumes by itself.
        bench.players[0].replaceCurrentItem(with: nil)
        bench.driver.run(seconds: 0.2)
        #expect(bench.playing == [1, 2] && !bench.members[2].isSuspended)
        #expect(bench.players[2].currentItem === item && bench.players[2].currentTime() == .ms(1000))
    }

    @Test("An item that is set while the budget suspends or resumes the player is kept")
    func setMeanwhile() {
        let bench = Bench(2)
        bench.players[0].play()
        bench.driver.run(seconds: 0.1)
        let (player, member, budget) = (bench.players[1], bench.members[1], bench.budget)
        for round in 0..<200 {
            let item = PlayerItem(asset: bench.backend.makeAsset(at: bench.urls[1]))
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 {
                    player.replaceCurrentItem(with: item)
                } else {
                    budget.limits.openPlayers = round.isMultiple(of: 2) ? 1 : nil
                }
            }
            #expect(player.currentItem === item || member.suspendedItem === item, "round \(round)")
            bench.driver.settle()
        }
    }

    @Test("A player that starts replaces a paused one, and a pause does not suspend a playing one")
    func playingFirst() {
        let bench = Bench(3)
        bench.budget.limits.openPlayers = 1
        bench.driver.run(seconds: 0)
        #expect(bench.open.count == 1)
        bench.players[1].play()
        bench.driver.run(seconds: 0.1)
        #expect(bench.open == [1] && bench.playing == [1])
        bench.players[2].play()
        bench.driver.run(seconds: 0.1)
        #expect(bench.open == [1])
        // The audible player has precedence.
        bench.players[2].isMuted = false
        bench.driver.run(seconds: 0.1)
        #expect(bench.open == [2] && bench.playing == [2])
        bench.players[2].pause()
        bench.driver.run(seconds: 0.1)
        #expect(bench.open == [1])
    }

    @Test("The memory limit uses estimates, and removing it resumes all players")
    func memory() {
        let bench = Bench(4)
        for player in bench.players { player.play() }
        bench.driver.run(seconds: 0.1)
        let one = bench.members[0].byteCount
        #expect(one > 1 << 20)
        bench.budget.limits.byteCount = 2 * one
        bench.driver.run(seconds: 0.1)
        #expect(bench.open.count == 2 && bench.budget.usage.byteCount <= 2 * one)
        bench.budget.limits = .init()
        bench.driver.run(seconds: 0.1)
        #expect(bench.open.count == 4 && bench.playing.count == 4)
    }

    @Test("Decoder threads are divided among the members, at least one for each, whatever the policy is")
    func threads() {
        let bench = Bench(4)
        func reopened() -> Int? {
            bench.players[0].replaceCurrentItem(
                with: PlayerItem(asset: bench.backend.makeAsset(at: bench.urls[0]))
            )
            bench.driver.run(seconds: 0.1)
            return bench.backend.decoderOptions(of: bench.urls[0]).last?.maximumThreadCount
        }
        #expect(bench.backend.decoderOptions(of: bench.urls[0]).map(\.maximumThreadCount) == [nil])
        for (limit, each) in [(8, 2), (7, 1), (4, 1), (1, 1), (0, 1), (nil, nil)] as [(Int?, Int?)] {
            bench.budget.limits.decoderThreads = limit
            #expect(reopened() == each, "\(String(describing: limit))")
        }
        bench.budget.limits.decoderThreads = 8
        bench.members.removeLast(2)
        #expect(reopened() == 4)
        // The player has left the budget.
        bench.members.removeAll()
        #expect(reopened() == nil)
    }

    @Test(
        "Preloading decodes with the threads that the budget grants, so that the player can claim the result"
    )
    func preloadedThreads() {
        let bench = Bench(2)
        bench.budget.limits.decoderThreads = 6
        for (budget, count) in [(bench.budget, 1), (nil, 2)] as [(PlaybackBudget?, Int)] {
            let preloader = Preloader(
                configuration: Player.Configuration(driver: bench.driver, backend: bench.backend),
                budget: budget
            )
            let url = bench.backend.add(.clip())
            let asset = bench.backend.makeAsset(at: url)
            preloader.preload(asset, to: .firstFrame)
            bench.driver.run(seconds: 0.1)
            #expect(preloader.status(of: asset) == .ready)
            bench.players[0].replaceCurrentItem(with: PlayerItem(asset: asset))
            bench.driver.run(seconds: 0.1)
            let made = bench.backend.decoderOptions(of: url)
            #expect(made.count == count && made.last?.maximumThreadCount == 3)
        }
    }

    @Test(
        "Another item, none, or another player discards a suspended item; leaving the budget returns it"
    )
    func owners() {
        let bench = Bench(4)
        bench.budget.limits.openPlayers = 1
        bench.players[3].play()
        bench.driver.run(seconds: 0.1)
        #expect(bench.open == [3])
        bench.players[0].replaceCurrentItem(with: nil)
        let taken = bench.members[1].suspendedItem
        let outsider = Player(
            configuration: Player.Configuration(driver: bench.driver, backend: bench.backend)
        )
        outsider.replaceCurrentItem(with: taken)
        bench.budget.limits.openPlayers = nil
        bench.driver.run(seconds: 0.1)
        #expect(bench.open == [2, 3] && outsider.currentItem === taken)
        bench.budget.limits.openPlayers = 1
        bench.driver.run(seconds: 0.1)
        #expect(bench.open == [3])
        bench.members.remove(at: 2)
        bench.driver.run(seconds: 0.1)
        #expect(bench.open == [2, 3] && bench.budget.usage.players == 3)
    }

    @Test(
        "For random operations the limit holds, and no playing player is suspended for a paused one",
        arguments: [1, 2, 3, 4] as [UInt64]
    )
    func drawn(seed: UInt64) {
        let bench = Bench(6)
        var random = SplitMix64(seed)
        bench.budget.limits.openPlayers = 3
        for step in 0..<200 {
            let player = bench.players.randomElement(using: &random)!
            switch Int.random(in: 0..<4, using: &random) {
            case 0: player.play()
            case 1: player.pause()
            case 2: player.isMuted.toggle()
            default: bench.driver.run(seconds: .random(in: 0...0.5, using: &random))
            }
            bench.driver.run(seconds: 0)
            let open = Set(bench.open)
            #expect(open.count <= 3, "step \(step), seed \(seed)")
            let wanting = bench.players.indices.filter { bench.players[$0].rate != 0 }
            let isRight = wanting.count <= 3 ? open.isSuperset(of: wanting) : open.isSubset(of: wanting)
            #expect(isRight, "step \(step), seed \(seed): open \(open), to play \(wanting)")
        }
    }
}
