import Playhead
import PlayheadTesting
import Testing

// Rule: item-position
@Suite("Contract: items that are removed and reinserted")
struct ReinsertedItemTests {
    /// Records the changes of an item's properties, with one line for each.
    private final class ReportedChanges: Sendable {
        private let state = Locked((lines: [String](), tokens: [ObservationToken]()))
        var lines: [String] {
            state.withLock { state in
                defer { state.lines = [] }
                return state.lines
            }
        }

        init(_ item: PlayerItem) {
            let tokens = [
                item.observe(\.status, options: .new) { [weak self] item, _ in
                    self?.add("status \(item.status)")
                },
                item.observe(\.duration, options: .new) { [weak self] _, _ in self?.add("duration") },
                item.observe(\.tracks, options: .new) { [weak self] _, _ in self?.add("tracks") },
                item.observe(\.presentationSize, options: .new) { [weak self] _, _ in self?.add("size") },
                item.observe(\.seekableTimeRanges, options: .new) { [weak self] _, _ in self?.add("seekable")
                },
            ]
            state.withLock { $0.tokens = tokens }
        }

        private func add(_ line: String) { state.withLock { $0.lines.append(line) } }
    }

    private static func check(_ item: PlayerItem, at time: Int64, _ comment: String) {
        #expect(item.currentTime() == .ms(time), "\(comment)")
        #expect(item.status == .readyToPlay, "\(comment)")
        #expect(item.duration == .ms(2000), "\(comment)")
        #expect(item.tracks.count == 2, "\(comment)")
        #expect(item.tracks.allSatisfy { $0.isEnabled }, "\(comment)")
        #expect(item.presentationSize == PixelSize(width: 16, height: 8), "\(comment)")
        #expect(item.seekableTimeRanges == [MediaTimeRange(start: .zero, duration: .ms(2000))], "\(comment)")
        #expect(item.canPlayReverse, "\(comment)")
    }

    @Test(
        "A clip in between: the item's time and status stay at each step, and it resumes at its position",
        arguments: [true, false],
        [nil, 1, 2, 3] as [UInt64?]
    )
    func interruptedByAnotherItem(isPlaying: Bool, seed: UInt64?) {
        let bench = PlayerTestBench(seed: seed)
        let (main, clip) = (bench.load(), bench.makeItem())
        bench.player.play()
        bench.driver.run(until: .ms(1000))
        if !isPlaying { bench.player.pause() }
        let reported = ReportedChanges(main)
        _ = bench.takeLines()
        bench.player.replaceCurrentItem(with: clip)
        Self.check(main, at: 1000, "just removed")
        bench.driver.run(seconds: 0.5)
        Self.check(main, at: 1000, "removed")
        #expect(clip.currentTime() == .ms(isPlaying ? 500 : 0))
        bench.player.replaceCurrentItem(with: main)
        Self.check(main, at: 1000, "just reinserted")
        #expect(bench.player.currentTime() == .ms(1000))
        for step in 0..<200 {
            guard bench.driver.step() else { break }
            if isPlaying, bench.player.timeControlStatus == .playing { break }
            Self.check(main, at: 1000, "step \(step)")
        }
        bench.driver.settle()
        Self.check(main, at: 1000, "reinserted")
        #expect(reported.lines.isEmpty)
        let lines = bench.takeLines()
        #expect(
            lines.filter { $0.hasPrefix("itemStatus") } == ["itemStatus readyToPlay"],
            "only the clip's status is reported"
        )
        #expect(!lines.contains { $0.hasPrefix("jumped") || $0.hasPrefix("seekCompleted") })
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.videoSink.numbers.suffix(25) == ArraySlice(25..<50))
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(clip.currentTime() == .ms(isPlaying ? 500 : 0))
    }

    @Test(
        "An item that is queued after the clip follows it without a gap, from its position",
        arguments: 0..<6
    )
    func queued(seed: UInt64) {
        let bench = PlayerTestBench(queue: 1, seed: seed)
        let (player, main, clip) = (bench.player, bench.items[0], bench.makeItem())
        player.play()
        bench.driver.run(until: .ms(1000))
        let reported = ReportedChanges(main)
        player.replaceCurrentItem(with: clip)
        player.insert(main, after: clip)
        Self.check(main, at: 1000, "in the queue")
        bench.driver.run(until: .ms(2900))
        #expect(player.currentItem === clip)
        Self.check(main, at: 1000, "before its turn")
        bench.driver.run(until: .ms(3500))
        #expect(player.currentItem === main)
        #expect(main.currentTime() == .ms(1500))
        bench.driver.run(seconds: 5)
        #expect(bench.videoSink.numbers == Array(0..<26) + Array(0..<50) + Array(25..<50))
        let heard = (Array(0..<96_000) + Array(48_000..<96_000)).map { Int16(truncatingIfNeeded: $0) }
        #expect(bench.audioSink.samples.suffix(heard.count) == ArraySlice(heard))
        #expect(reported.lines.isEmpty)
        #expect(bench.takeLines(of: "end").count == 2)
    }

    enum Way: CaseIterable, Sendable { case nothing, another, removed, advanced, emptied, moved, released }

    @Test(
        "Whatever removes an item and whichever player plays it next, it resumes at its position",
        arguments: Way.allCases
    )
    func ways(way: Way) throws {
        var bench: PlayerTestBench<QueuePlayer>? = PlayerTestBench(queue: 1)
        let item = try #require(bench?.items.first)
        bench?.player.play()
        bench?.driver.run(until: .ms(1000))
        let next = PlayerTestBench()
        switch way {
        case .nothing: bench?.player.replaceCurrentItem(with: nil)
        case .another: bench?.player.replaceCurrentItem(with: bench?.makeItem())
        case .removed: bench?.player.remove(item)
        case .advanced: bench?.player.advanceToNextItem()
        case .emptied: bench?.player.removeAllItems()
        case .moved: break
        case .released: bench = nil
        }
        if way != .moved { Self.check(item, at: 1000, "removed") }
        next.player.replaceCurrentItem(with: item)
        Self.check(item, at: 1000, "in the other player")
        next.driver.settle()
        Self.check(item, at: 1000, "opened by the other player")
        #expect(next.videoSink.numbers == [25])
        next.player.play()
        next.driver.run(seconds: 0.2)
        #expect(next.player.currentTime() == .ms(1200))
    }

    @Test("An item can be reinserted before the player has run, while the item opens, or before it was ready")
    func quickly() {
        for seed in 0..<10 as Range<UInt64> {
            let bench = PlayerTestBench(seed: seed)
            let (main, other) = (bench.load(), bench.makeItem())
            bench.player.play()
            bench.driver.run(until: .ms(1000))
            for steps in 0..<12 {
                bench.player.replaceCurrentItem(with: other)
                bench.player.replaceCurrentItem(with: main)
                Self.check(main, at: 1000, "\(seed) \(steps)")
                for _ in 0..<steps { _ = bench.driver.step() }
                bench.player.replaceCurrentItem(with: nil)
                Self.check(main, at: 1000, "\(seed) \(steps)")
                bench.player.replaceCurrentItem(with: main)
            }
            bench.driver.run(seconds: 0.1)
            #expect(main.currentTime() == .ms(1100))
            #expect(other.currentTime() == .zero)
        }
    }

    @Test("The target of a seek in progress is the position, and a later seek takes precedence")
    func seeks() {
        let bench = PlayerTestBench()
        let (main, other) = (bench.load(), bench.makeItem())
        bench.seek("first", to: .ms(1200))
        bench.player.replaceCurrentItem(with: other)
        #expect(main.currentTime() == .ms(1200))
        bench.driver.settle()
        main.seek(to: .ms(400), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(main.currentTime() == .ms(400))
        bench.player.replaceCurrentItem(with: main)
        #expect(main.currentTime() == .ms(400))
        bench.driver.settle()
        #expect(main.currentTime() == .ms(400))
        #expect(bench.videoSink.numbers.last == 10)
        #expect(bench.takeLines(of: "first") == ["first false"])
        bench.player.replaceCurrentItem(with: other)
        bench.player.replaceCurrentItem(with: main)
        bench.seek("second", to: .ms(800))
        #expect(main.currentTime() == .ms(800))
        bench.driver.settle()
        #expect(main.currentTime() == .ms(800))
        #expect(bench.takeLines(of: "second") == ["second true"])
    }

    @Test(
        "An item removed at its end is at its end, and one that ended in a queue begins at its start the next time"
    )
    func ended() {
        let bench = PlayerTestBench()
        let (main, other) = (bench.load(), bench.makeItem())
        bench.player.play()
        bench.driver.run(seconds: 5)
        bench.player.replaceCurrentItem(with: other)
        bench.driver.settle()
        Self.check(main, at: 2000, "removed")
        bench.player.replaceCurrentItem(with: main)
        bench.driver.settle()
        Self.check(main, at: 2000, "reinserted")
        #expect(bench.videoSink.numbers.last == 49)
        let queue = PlayerTestBench(queue: 1)
        queue.player.play()
        queue.driver.run(seconds: 5)
        #expect(queue.items[0].currentTime() == .zero)
        #expect(queue.items[0].status == .readyToPlay)
        queue.player.insert(queue.items[0], after: nil)
        queue.driver.run(seconds: 5)
        #expect(queue.videoSink.numbers == Array(0..<50) + Array(0..<50))
    }

    @Test(
        "A removed item keeps nothing open: it is opened again, and its buffer is reported empty until then"
    )
    func closes() {
        let bench = PlayerTestBench()
        let main = bench.load()
        bench.player.play()
        bench.driver.run(until: .ms(1000))
        bench.player.replaceCurrentItem(with: nil)
        bench.driver.settle()
        #expect(bench.backend.opened.count == 1)
        #expect(bench.backend.counts.cancelled == 1)
        _ = bench.takeLines()
        bench.player.replaceCurrentItem(with: main)
        bench.driver.settle()
        #expect(bench.backend.opened.count == 2)
        #expect(bench.takeLines(of: "empty") == ["empty false"])
        #expect(main.loadedTimeRanges.map(\.end) == [.ms(2000)])
        #expect(bench.stateLine == "1.0 playing")
    }
}
