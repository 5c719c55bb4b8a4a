import Foundation
import Observation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// Each property of a player with a queue, its items and its layer, along each path that changes it: all ways of
/// observing report the same changes.
@Suite("Every property reports its changes in every way of observing")
struct EveryWayTests {
    typealias Bench = PlayerTestBench<QueuePlayer>

    struct Path: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The actions on the items A, B and C of the queue.
        var scripts: [ScriptedMedia] = [.clip(), .clip(), .clip()]
        /// The lines that must occur in this order, among others.
        let landmarks: [String]
        var audio = TestAudio.captured
        let play: @Sendable (Bench, FourWays, [PlayerItem]) -> Void
    }

    private static let broken = ScriptedMedia(faults: [.openFails(.unrecognizedFormat)])

    static let paths = [
        Path(
            testDescription: "from item to item, and to none",
            landmarks: [
                "currentItem A", "rate 1.0", "A.status readyToPlay", "ready true", "currentItem B",
                "B.duration 2.0", "B.status readyToPlay", "currentItem C", "C.status readyToPlay",
                "currentItem none", "reason noItemToPlay",
            ]
        ) { bench, ways, _ in
            ways.set { bench.player.play() }
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "one in the middle fails before its turn",
            scripts: [.clip(), broken, .clip()],
            landmarks: [
                "currentItem A", "A.status readyToPlay", "B.status failed", "B.error unrecognizedFormat",
                "currentItem C",
            ]
        ) { bench, ways, items in
            ways.set { bench.player.play() }
            bench.driver.run(seconds: 1.5)
            #expect(items[1].status == .failed)
            #expect(bench.player.items().count == 2)
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "the last one fails before its turn",
            scripts: [.clip(), .clip(), broken],
            landmarks: ["currentItem B", "C.status failed", "C.error unrecognizedFormat", "currentItem none"]
        ) { bench, ways, _ in
            ways.set { bench.player.play() }
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "the current one fails, and the next one too",
            scripts: [broken, broken, .clip()],
            landmarks: [
                "currentItem A", "A.status failed", "A.error unrecognizedFormat", "currentItem B",
                "B.status failed", "currentItem C", "C.status readyToPlay",
            ]
        ) { bench, ways, _ in
            ways.set { bench.player.play() }
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "all fail, and are asked to play",
            scripts: [broken, broken, broken],
            landmarks: ["rate 1.0", "A.status failed", "B.status failed", "C.status failed", "rate 0.0"]
        ) { bench, ways, _ in
            ways.set { bench.player.play() }
            bench.driver.run(atMost: 60)
            ways.set { bench.player.play() }
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "one is lost in the middle",
            scripts: [.silentClip([.lost(fromPacket: 20)]), .clip(), .clip()],
            landmarks: ["A.status readyToPlay", "currentItem B"]
        ) { bench, ways, _ in
            ways.set { bench.player.play() }
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "advanced, removed, replaced by one that waits, taken off, all removed",
            landmarks: ["currentItem A", "currentItem B", "ready false", "currentItem C", "currentItem none"]
        ) { bench, ways, items in
            ways.set { bench.player.play() }
            bench.driver.run(seconds: 0.3)
            ways.set { bench.player.advanceToNextItem() }
            bench.driver.run(seconds: 0.3)
            ways.set { bench.player.replaceCurrentItem(with: items[2]) }
            bench.driver.run(seconds: 0.3)
            ways.set { bench.player.remove(items[2]) }
            bench.driver.run(seconds: 0.3)
            let last = bench.makeItem()
            ways.set { bench.player.insert(last, after: nil) }
            ways.set { bench.player.removeAllItems() }
            bench.driver.run(seconds: 0.3)
        },
        Path(
            testDescription: "what setters set",
            landmarks: [
                "volume 0.5", "muted true", "repeatMode loop", "rate 2.0", "rate -1.0", "volume 1.0",
                "muted false", "scrubbing true", "scrubbing false", "repeatMode once", "rate 0.0",
            ]
        ) { bench, ways, _ in
            let player = bench.player
            func set(_ body: () -> Void) {
                ways.set(body)
                bench.driver.run(seconds: 0.1)
            }
            set { player.volume = 0.5 }
            set { player.isMuted = true }
            set { player.repeatMode = .loop }
            set { player.rate = 2 }
            set { player.rate = -1 }
            set { player.volume = 7 }
            set { player.isMuted = false }
            set { player.isScrubbing = true }
            set { player.isScrubbing = false }
            set { player.repeatMode = .once }
            set { player.pause() }
        },
        Path(
            testDescription: "interruptions",
            landmarks: [
                "rate 1.0", "interrupted true", "rate 0.0", "interrupted false", "rate 1.0",
                "interrupted true",
                "rate 0.0", "interrupted false", "rate 1.0", "currentItem B",
            ],
            audio: .device()
        ) { bench, ways, _ in
            ways.set { bench.player.play() }
            bench.driver.run(seconds: 0.5)
            bench.audioDevice.beginInterruption()
            bench.driver.run(seconds: 0.5)
            bench.audioDevice.endInterruption()
            bench.driver.run(seconds: 0.5)
            bench.audioDevice.beginInterruption()
            bench.driver.run(seconds: 0.5)
            ways.set { bench.player.play() }
            bench.audioDevice.endInterruption()
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "seeks, steps and turns",
            landmarks: ["A.status readyToPlay", "A.loaded []", "rate 1.0", "rate 0.0", "rate -2.0"]
        ) { bench, ways, items in
            bench.driver.settle()
            for target in [1200, 0, 1900, 400] as [Int64] {
                items[0].seek(to: .ms(target), toleranceBefore: .zero, toleranceAfter: .zero)
                bench.driver.run(seconds: 0.1)
            }
            ways.set { bench.player.play() }
            bench.driver.run(seconds: 0.2)
            ways.set { items[0].step(byCount: 20) }
            bench.driver.run(seconds: 0.2)
            ways.set { items[0].step(byCount: -5) }
            bench.driver.run(seconds: 0.2)
            ways.set { bench.player.rate = -2 }
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "a stall that takes the rate, and a seek that gives it back",
            scripts: [.silentClip((25..<50).map { .stall(atPacket: $0, until: 9) }), .clip(), .clip()],
            landmarks: [
                "rate 1.0", "A.empty true", "A.keepUp false", "rate 0.0", "A.empty false", "rate 1.0",
            ]
        ) { bench, ways, items in
            bench.player.automaticallyWaitsToMinimizeStalling = false
            ways.set { bench.player.play() }
            bench.driver.run(seconds: 3)
            items[0].seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "an end that is moved after it was reached",
            landmarks: ["rate 0.0", "rate 1.0", "timeControlStatus playing", "rate 0.0"]
        ) { bench, ways, items in
            bench.player.actionAtItemEnd = .pause
            items[0].forwardPlaybackEndTime = .ms(1000)
            ways.set { bench.player.play() }
            bench.driver.run(atMost: 60)
            items[0].forwardPlaybackEndTime = .invalid
            ways.set { bench.player.play() }
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "a duration that is learnt",
            scripts: [guessed, .clip(), .clip()],
            landmarks: ["A.duration 5.0", "A.duration 2.0"]
        ) { bench, ways, _ in
            ways.set { bench.player.play() }
            bench.driver.run(atMost: 60)
        },
        Path(
            testDescription: "other tracks while playing",
            landmarks: ["A.tracks 2", "A.status readyToPlay"]
        ) { bench, ways, items in
            ways.set { bench.player.play() }
            bench.driver.run(seconds: 0.3)
            items[0].disableTracks(ofType: .audio)
            bench.driver.run(seconds: 0.8)
            items[0].disableTracks(ofType: .video)
            bench.driver.run(atMost: 60)
        },
    ]

    private static var guessed: ScriptedMedia {
        var media = ScriptedMedia.silentClip([.stall(atPacket: 45, until: 1)])
        media.estimatedDuration = .ms(5000)
        return media
    }

    @Test(
        "All ways of observing report the same changes in the same order",
        arguments: paths,
        ([nil, 1, 2, 3] as [UInt64?]).samples
    )
    func table(path: Path, seed: UInt64?) async {
        var bench: Bench? = Bench(queue: 0, audio: path.audio, seed: seed)
        let items = path.scripts.map { bench!.makeItem($0) }
        let ways = FourWays(bench!.player, bench!.layer, items: Array(zip(["A", "B", "C"], items)))
        for item in items { ways.set { bench!.player.insert(item, after: nil) } }
        path.play(bench!, ways, items)
        let (byPath, tracked, posted) = (ways.byPath.lines, ways.tracked.lines, ways.posted.lines)
        bench = nil
        await ways.readStream()
        #expect(byPath == ways.streamed.lines)
        #expect(tracked == ways.streamed.lines)
        #expect(posted == ways.due.lines)
        #expect(ways.derivedByPath.byProperty == ways.derivedTracked.byProperty)
        #expect(!ways.derivedByPath.lines.isEmpty || path.scripts.allSatisfy { $0.video == nil })
        var seen = ways.streamed.lines[...]
        for landmark in path.landmarks {
            let index = seen.firstIndex(of: landmark)
            #expect(index != nil, "\(landmark) in \(ways.streamed.lines)")
            if let index { seen = seen[(index + 1)...] }
        }
    }

    @Test("A queued item that fails notifies its own observers, before and after the failure, and no others")
    func queuedFailure() {
        let bench = Bench(queue: 1)
        let item = bench.makeItem(Self.broken)
        let seen = Column()
        var tokens = [
            item.observe(\.status, options: [.old, .new, .initial]) { observed, change in
                let words = [change.oldValue, change.newValue].map { $0.map { "\($0)" } ?? "nil" }
                seen.add("status \(words[0]) \(words[1]) \(observed.status)")
            },
            item.observe(\.error, options: .new) { _, change in
                seen.add("error \(change.newValue??.code.rawValue ?? "nil")")
            },
        ]
        tokens.append(bench.items[0].observe(\.status) { _, _ in seen.add("the first one") })
        bench.player.insert(item, after: nil)
        bench.driver.settle()
        #expect(seen.lines == ["status nil unknown unknown", "the first one"])
        bench.player.play()
        bench.driver.run(seconds: 1.9)
        #expect(seen.lines.dropFirst(2) == ["status unknown failed failed", "error unrecognizedFormat"])
        #expect(bench.player.items() == [bench.items[0]])
        let other = QueuePlayer(items: [item], configuration: bench.player.configuration)
        #expect(other.currentItem === item, "it is free to go")
        bench.driver.run(seconds: 0.1)
    }

    @Test("An item that moves between players reports each change once, in the player that has it")
    func moves() {
        let bench = Bench(queue: 0)
        let other = QueuePlayer(items: [], configuration: bench.player.configuration)
        let item = bench.makeItem()
        let ways = FourWays(bench.player, bench.layer, items: [("A", item)])
        let moves: [() -> Void] = [
            { bench.player.insert(item, after: nil) }, { other.insert(item, after: nil) },
            { bench.player.replaceCurrentItem(with: item) }, { other.replaceCurrentItem(with: item) },
            { other.removeAllItems() },
        ]
        for move in moves {
            ways.set(move)
            bench.driver.run(seconds: 0.5)
        }
        let ofItem = { (column: Column) in column.byProperty.filter { $0.key.hasPrefix("A.") } }
        #expect(ofItem(ways.byPath) == ofItem(ways.tracked))
        #expect(ways.byPath.byProperty["A.status"]?.last == "A.status readyToPlay")
        #expect(ways.derivedByPath.byProperty == ways.derivedTracked.byProperty)
    }

    @Test("A measured frame rate is not a change of the tracks")
    func frameRate() {
        let bench = PlayerTestBench(.silentClip())
        let count = Locked(0)
        let item = bench.makeItem()
        let token = item.observe(\.tracks) { _, _ in count.withLock { $0 += 1 } }
        bench.load(item)
        bench.player.play()
        bench.driver.run(seconds: 1.5)
        #expect((item.tracks.first?.currentVideoFrameRate ?? 0) > 0)
        #expect(count.withLock { $0 } == 1)
        token.invalidate()
    }

    @Test("The seekable range is known when the item is ready, even if the asset was loaded before")
    func seekable() async throws {
        let bench = PlayerTestBench(.silentClip())
        let asset = bench.backend.makeAsset()
        try await asset.load()
        let item = PlayerItem(asset: asset)
        #expect(item.seekableTimeRanges.isEmpty)
        let ends = Locked([Double?]())
        let token = item.observe(\.seekableTimeRanges, options: .new) { _, change in
            ends.withLock { $0.append(change.newValue?.first?.end.seconds) }
        }
        bench.load(item)
        #expect(ends.withLock { $0 } == [2])
        token.invalidate()
    }

    @Test(
        "A looper reports each change once and in order, by key path and to trackers",
        arguments: [false, true]
    )
    func looper(fails: Bool) {
        let bench = Bench(queue: 0)
        let template = bench.makeItem(fails ? Self.broken : .clip())
        let looper = PlayerLooper(player: bench.player, templateItem: template)
        let (byPath, tracked) = (Column(), Column())
        let tokens = [
            looper.observe(\.status, options: [.old, .new]) { _, change in
                byPath.see("status", "\(change.newValue ?? .unknown)")
            },
            looper.observe(\.loopCount, options: .new) { _, change in
                byPath.see("count", "\(change.newValue ?? -1)")
            },
            looper.observe(\.error, options: .new) { _, change in
                byPath.see("error", change.newValue??.code.rawValue ?? "nil")
            },
        ]
        @Sendable func track(_ name: String, _ read: @escaping @Sendable () -> String) {
            tracked.see(name, withObservationTracking(read) { track(name, read) })
        }
        for column in [byPath, tracked] {
            column.expect("status", "unknown")
            column.expect("count", "0")
            column.expect("error", "nil")
        }
        track("status") { [weak looper] in "\(looper?.status ?? .unknown)" }
        track("count") { [weak looper] in "\(looper?.loopCount ?? -1)" }
        track("error") { [weak looper] in looper?.error?.code.rawValue ?? "nil" }
        bench.player.play()
        bench.driver.run(seconds: 5)
        looper.disableLooping()
        bench.driver.run(seconds: 1)
        let failure = ["status failed", "error unrecognizedFormat"]
        #expect(
            byPath.lines == (fails ? failure : ["status ready", "count 1", "count 2", "status cancelled"])
        )
        #expect(tracked.lines == byPath.lines)
        withExtendedLifetime(tokens) {}
    }
}
