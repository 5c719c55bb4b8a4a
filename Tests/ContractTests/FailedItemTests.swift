import Foundation
import Observation
import Playhead
import PlayheadTesting
import Testing

/// Tests that playing an item that cannot be played has one outcome, however early or late the failure is detected.
@Suite("Contract: items that cannot be played")
struct FailedItemTests {
    enum Start: CaseIterable, Sendable {
        case play, rate, backward, immediately, appointed

        func ask(_ player: Player) {
            switch self {
            case .play: player.play()
            case .rate: player.rate = 2
            case .backward: player.rate = -1
            case .immediately: player.playImmediately(atRate: 1)
            case .appointed: player.setRate(1, time: .zero, atHostTime: .invalid)
            }
        }
    }

    static let broken: [ScriptedMedia] = [
        .silentClip([.openFails(.notFound)]), .silentClip([.noDecoder(.video)]), ScriptedMedia(),
        .silentClip([.lost(fromPacket: 0)]),
    ]

    @Test(
        "Played before or after the failure, the player is paused, and keeps the item and its error",
        arguments: broken.indices,
        Start.allCases
    )
    func oneOutcome(media: Int, start: Start) {
        for waits in [true, false] {
            for asksFirst in [true, false] {
                let bench = PlayerTestBench(.silentClip())
                bench.player.automaticallyWaitsToMinimizeStalling = waits
                let item = bench.makeItem(Self.broken[media])
                bench.player.replaceCurrentItem(with: item)
                if !asksFirst { bench.driver.settle() }
                start.ask(bench.player)
                bench.driver.run(seconds: 1)
                #expect(bench.stateLine == "0.0 paused")
                #expect(bench.player.currentItem === item)
                #expect(item.status == .failed)
                #expect(bench.player.currentTime() == .zero)
                start.ask(bench.player)
                bench.driver.run(seconds: 1)
                #expect(bench.stateLine == "0.0 paused", "after a second request")
            }
        }
    }

    @Test("A missing file has the same outcome in a hundred orders of execution of the lanes")
    func missingFile() {
        for seed in 0..<100 as Range<UInt64> {
            let bench = PlayerTestBench(.silentClip(), seed: seed) {
                $0.backend = Player.Configuration().backend
            }
            let item = PlayerItem(url: URL(fileURLWithPath: "/nowhere/\(seed).mp4"))
            bench.player.replaceCurrentItem(with: item)
            for _ in 0..<Int(seed % 20) { bench.driver.step() }
            bench.player.play()
            bench.driver.run(seconds: 1)
            #expect(bench.stateLine == "0.0 paused")
            #expect(item.error?.code == .notFound)
        }
    }

    @Test("An item that fails during playback is paused, and stays so after play()")
    func failsLater() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load(.silentClip([.lost(fromPacket: 20)]))
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(bench.stateLine == "0.0 paused")
        #expect(item.status == .readyToPlay)
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test("An observer of the rate is notified that it is 0 again", arguments: [true, false])
    func watched(asksFirst: Bool) {
        let bench = PlayerTestBench(.silentClip())
        bench.player.replaceCurrentItem(with: bench.makeItem(Self.broken[0]))
        if !asksFirst { bench.driver.settle() }
        bench.player.play()
        #expect(bench.player.rate == 1, "the getter returns the value that was set")
        let isVisibleToObservers = Locked(false)
        withObservationTracking(of: bench.player) { isVisibleToObservers.withLock { $0 = true } }
        bench.driver.settle()
        #expect(bench.player.rate == 0)
        #expect(isVisibleToObservers.withLock { $0 })
    }

    private func withObservationTracking(of player: Player, _ reported: @escaping @Sendable () -> Void) {
        Observation.withObservationTracking {
            _ = player.rate
        } onChange: {
            reported()
        }
    }

    @Test(
        "noItemToPlay is the reason for waiting only while there is no item, even before the engine has run"
    )
    func reason() {
        let bench = PlayerTestBench(.silentClip())
        let player = bench.player
        player.play()
        bench.driver.settle()
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
        player.replaceCurrentItem(with: bench.makeItem())
        #expect(bench.stateLine == "1.0 waitingToPlayAtSpecifiedRate evaluatingBufferingRate")
        bench.driver.run(seconds: 0.5)
        #expect(bench.stateLine == "1.0 playing")
        player.replaceCurrentItem(with: nil)
        #expect(bench.stateLine == "1.0 waitingToPlayAtSpecifiedRate noItemToPlay")
        bench.driver.settle()
        #expect(bench.stateLine == "1.0 waitingToPlayAtSpecifiedRate noItemToPlay")
    }

    @Test(
        "A failed item that is given to a player again is not reopened, because its failure is permanent",
        arguments: [true, false]
    )
    func again(inQueue: Bool) {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load(Self.broken[0])
        let message = item.error?.message
        bench.load()
        #expect(bench.backend.opened.count == 2)
        if inQueue {
            let queue = QueuePlayer(
                items: [bench.makeItem(), item],
                configuration: bench.player.configuration
            )
            queue.play()
            bench.driver.run(seconds: 5)
            #expect(bench.backend.opened.count == 3)
            #expect(queue.items().isEmpty)
        } else {
            bench.load(item)
            bench.player.play()
            bench.driver.run(seconds: 1)
            #expect(bench.backend.opened.count == 2)
            #expect(bench.stateLine == "0.0 paused")
        }
        #expect(item.status == .failed)
        #expect(item.error?.message == message)
    }

    @Test(
        "A queue whose only item cannot be played continues with the next one added, whenever it is added",
        arguments: Start.allCases.filter { $0 != .backward }
    )
    func queue(start: Start) {
        for order in 0..<4 {
            let bench = PlayerTestBench(queue: 1, of: Self.broken[0])
            let (player, next) = (bench.player, bench.makeItem(.silentClip()))
            if order > 0 { bench.driver.settle() }
            start.ask(player)
            if order > 1 { bench.driver.settle() }
            if order > 2 { #expect(bench.stateLine == "0.0 paused") }
            player.insert(next, after: nil)
            bench.driver.run(seconds: 0.5)
            #expect(player.currentItem === next)
            #expect(bench.stateLine == (start == .rate ? "2.0 playing" : "1.0 playing"))
        }
    }

    enum Then: CaseIterable, Sendable { case nothing, pause, play, otherRate, seek }

    @Test(
        "An item that fails before its end stays current, and an item that is added after it is played",
        arguments: Then.allCases
    )
    func queueCutOff(then: Then) {
        let bench = PlayerTestBench(
            queue: 1,
            of: ScriptedMedia(video: .init(frameCount: 250), faults: [.cutOff(atPacket: 50)])
        )
        let (player, broken) = (bench.player, bench.items[0])
        player.rate = 2
        bench.driver.run(seconds: 2)
        #expect(
            bench.takeLines(of: "end", "failed", "rate 2") == [
                "failed truncated", "rate 2.0 -> 0.0 itemFailed",
            ]
        )
        #expect(bench.stateLine == "0.0 paused")
        #expect(player.currentItem === broken && broken.status == .readyToPlay)
        switch then {
        case .nothing: break
        case .pause: player.pause()
        case .play: player.play()
        case .otherRate:
            player.rate = 0.5
            bench.driver.run(seconds: 1)
            #expect(bench.takeLines(of: "end", "failed") == ["failed truncated"])
        case .seek:
            player.seek(to: .zero)
            bench.driver.settle()
        }
        let next = bench.makeItem(.silentClip())
        player.insert(next, after: nil)
        bench.driver.run(seconds: 0.5)
        #expect(player.currentItem === (then == .seek ? broken : next))
        let rate: Float =
            switch then {
            case .nothing: 2
            case .pause, .seek: 0
            case .play: 1
            case .otherRate: 0.5
            }
        #expect(player.rate == rate)
        #expect(player.timeControlStatus == (rate == 0 ? .paused : .playing))
    }

    @Test("A player that is paused meanwhile advances to the added item without playing it")
    func queuePaused() {
        let bench = PlayerTestBench(queue: 1, of: Self.broken[0])
        bench.player.play()
        bench.driver.settle()
        bench.player.pause()
        let next = bench.makeItem(.silentClip())
        bench.player.insert(next, after: nil)
        bench.driver.run(seconds: 1)
        #expect(bench.player.currentItem === next)
        #expect(bench.stateLine == "0.0 paused")
    }
}
