import Foundation
import Observation
import Playhead
import PlayheadTesting
import Synchronization
import Testing

// Rule: one-order
@Suite("Four ways of observing report one order")
struct OneOrderTests {
    struct Scene: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var media = ScriptedMedia.clip()
        /// The lines that must occur in this order, among others.
        let landmarks: [String]
        /// All notifications.
        let notifications: [String]
        let play:
            @Sendable (PlayerTestBench<Player>, FourWays, _ first: PlayerItem, _ second: PlayerItem) -> Void
    }

    static let scenes = [
        Scene(
            testDescription: "load",
            landmarks: [
                "currentItem A", "A.tracks 2", "A.duration 2.0", "A.status readyToPlay", "ready true",
            ],
            notifications: []
        ) { bench, ways, first, _ in
            ways.set { bench.player.replaceCurrentItem(with: first) }
            bench.driver.run(atMost: 1)
        },
        Scene(
            testDescription: "play to the end",
            landmarks: [
                "rate 1.0", "timeControlStatus waitingToPlayAtSpecifiedRate", "reason noItemToPlay",
                "currentItem A", "reason evaluatingBufferingRate", "timeControlStatus playing", "rate 0.0",
                "timeControlStatus paused",
            ],
            notifications: ["rate setRateCalled", "access", "end", "rate itemEnded"]
        ) { bench, ways, first, _ in
            ways.set { bench.player.play() }
            bench.driver.settle()
            ways.set { bench.player.replaceCurrentItem(with: first) }
            bench.driver.run(atMost: 60)
        },
        Scene(
            testDescription: "stall and resume",
            media: .silentClip([.stall(atPacket: 20, until: 3)]),
            landmarks: [
                "timeControlStatus playing", "A.empty true", "A.keepUp false",
                "timeControlStatus waitingToPlayAtSpecifiedRate", "reason toMinimizeStalls", "A.empty false",
                "A.keepUp true", "timeControlStatus playing", "rate 0.0",
            ],
            notifications: ["rate setRateCalled", "access", "stalled", "end", "rate itemEnded"]
        ) { bench, ways, first, _ in
            ways.set {
                bench.player.play()
                bench.player.replaceCurrentItem(with: first)
            }
            bench.driver.run(atMost: 60)
        },
        Scene(
            testDescription: "a stall that takes the rate",
            media: .silentClip([.stall(atPacket: 20, until: 3)]),
            landmarks: ["rate 1.0", "A.empty true", "rate 0.0", "A.empty false", "rate 1.0", "rate 0.0"],
            notifications: [
                "rate setRateCalled", "access", "stalled", "rate stalled", "rate resumedAfterStall", "end",
                "rate itemEnded",
            ]
        ) { bench, ways, first, _ in
            bench.player.automaticallyWaitsToMinimizeStalling = false
            ways.set {
                bench.player.play()
                bench.player.replaceCurrentItem(with: first)
            }
            bench.driver.run(atMost: 60)
        },
        Scene(
            testDescription: "seek",
            landmarks: ["A.status readyToPlay", "A.loaded []", "A.loaded [2.0]"],
            notifications: ["jumped"]
        ) { bench, ways, first, _ in
            ways.set { bench.player.replaceCurrentItem(with: first) }
            bench.driver.run(atMost: 1)
            bench.player.seek(to: .ms(1200), toleranceBefore: .zero, toleranceAfter: .zero)
            bench.driver.run(atMost: 1)
        },
        Scene(
            testDescription: "loop, then the end",
            landmarks: ["repeatMode loop", "timeControlStatus playing", "repeatMode once", "rate 0.0"],
            notifications: [
                "rate setRateCalled", "access", "end", "jumped", "end", "jumped", "end", "rate itemEnded",
            ]
        ) { bench, ways, first, _ in
            ways.set {
                bench.player.repeatMode = .loop
                bench.player.play()
                bench.player.replaceCurrentItem(with: first)
            }
            bench.driver.run(seconds: 4.5)
            ways.set { bench.player.repeatMode = .once }
            bench.driver.run(atMost: 60)
        },
        Scene(
            testDescription: "item replaced, and taken off",
            landmarks: [
                "currentItem A", "ready true", "ready false", "currentItem B", "B.status readyToPlay",
                "ready true", "ready false", "currentItem none",
            ],
            notifications: ["rate setRateCalled", "access", "access"]
        ) { bench, ways, first, second in
            ways.set {
                bench.player.replaceCurrentItem(with: first)
                bench.player.play()
            }
            bench.driver.run(seconds: 0.5)
            ways.set { bench.player.replaceCurrentItem(with: second) }
            bench.driver.run(seconds: 0.5)
            ways.set { bench.player.replaceCurrentItem(with: nil) }
            bench.driver.run(atMost: 60)
        },
        Scene(
            testDescription: "failure in the middle",
            media: .silentClip([.lost(fromPacket: 20)]),
            landmarks: ["timeControlStatus playing", "rate 0.0", "timeControlStatus paused"],
            notifications: ["rate setRateCalled", "access", "error", "failed", "rate itemFailed"]
        ) { bench, ways, first, _ in
            ways.set {
                bench.player.play()
                bench.player.replaceCurrentItem(with: first)
            }
            bench.driver.run(atMost: 60)
        },
        Scene(
            testDescription: "failure to open",
            media: ScriptedMedia(faults: [.openFails(.unrecognizedFormat)]),
            landmarks: [
                "currentItem A", "status readyToPlay", "A.status failed", "A.error unrecognizedFormat",
            ],
            notifications: ["error"]
        ) { bench, ways, first, _ in
            ways.set { bench.player.replaceCurrentItem(with: first) }
            bench.driver.run(atMost: 60)
        },
    ]

    @Test(
        "All ways report the same changes in the same order",
        arguments: scenes,
        [nil, 1, 2, 3] as [UInt64?]
    )
    func columns(scene: Scene, seed: UInt64?) async {
        var bench: PlayerTestBench<Player>? = PlayerTestBench(scene.media, seed: seed)
        let items = [("A", bench!.makeItem()), ("B", bench!.makeItem())]
        let ways = FourWays(bench!.player, bench!.layer, items: items)
        scene.play(bench!, ways, items[0].1, items[1].1)
        let (byPath, tracked, posted) = (ways.byPath.lines, ways.tracked.lines, ways.posted.lines)
        // The stream ends with its player.
        bench = nil
        await ways.readStream()
        #expect(byPath == ways.streamed.lines)
        #expect(tracked == ways.streamed.lines)
        #expect(ways.derivedByPath.byProperty == ways.derivedTracked.byProperty)
        #expect(posted == ways.due.lines)
        #expect(posted == scene.notifications)
        var seen = ways.streamed.lines[...]
        for landmark in scene.landmarks {
            let index = seen.firstIndex(of: landmark)
            #expect(index != nil, "\(landmark) in \(ways.streamed.lines)")
            if let index { seen = seen[(index + 1)...] }
        }
    }

    @Test("Each change is reported by event, key path, tracking and notification before the next one")
    func ranks() {
        let bench = PlayerTestBench()
        let (player, log) = (bench.player, Column())
        let path = player.observe(\.rate) { player, _ in log.add("path \(player.rate)") }
        let event = player.onEvent { event in
            if case .rateChanged(_, let new, _) = event.event { log.add("event \(new)") }
        }
        @Sendable func track() {
            let rate = withObservationTracking {
                player.rate
            } onChange: {
                track()
            }
            log.add("tracked \(rate)")
        }
        let notice = NotificationCenter.default.addObserver(
            forName: Player.rateDidChange,
            object: player,
            queue: nil
        ) { _ in log.add("posted") }
        defer { NotificationCenter.default.removeObserver(notice) }
        player.replaceCurrentItem(with: bench.makeItem())
        player.play()
        bench.driver.settle()
        track()
        bench.driver.run(atMost: 60)
        #expect(
            log.lines == [
                "path 1.0", "event 1.0", "posted", "tracked 1.0",
                "path 0.0", "event 0.0", "tracked 0.0", "posted",
            ]
        )
        path.invalidate()
        event.invalidate()
    }

    @Test("An observer of all names is notified")
    func allNames() {
        let bench = PlayerTestBench()
        let log = Column()
        let notice = NotificationCenter.default.addObserver(forName: nil, object: bench.player, queue: nil) {
            log.add($0.name.rawValue)
        }
        defer { NotificationCenter.default.removeObserver(notice) }
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.player.play()
        bench.driver.settle()
        #expect(log.lines == [Player.rateDidChange.rawValue])
    }
}
