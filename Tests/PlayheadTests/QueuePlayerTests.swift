import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Queue player and looper")
struct QueuePlayerTests {
    @Test("Items follow each other without a gap, leave the queue, and report their own end")
    func plays() {
        let bench = PlayerTestBench(queue: 3)
        let ends = Ends(bench)
        bench.player.play()
        #expect(bench.player.items().map(\.id) == bench.items.map(\.id))
        bench.driver.run(until: HostTime(nanoseconds: 2_500_000_000))
        #expect(bench.player.currentItem === bench.items[1])
        #expect(bench.player.items().count == 2)
        #expect(bench.player.currentTime() == .ms(500))
        // The next item has frames of the same size, and reports it as well.
        #expect(bench.items.map(\.presentationSize.width) == [16, 16, 0])
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == (0..<3).flatMap { _ in 0..<50 })
        #expect(bench.driver.now == HostTime(nanoseconds: 6_000_000_000))
        #expect(ends.order == [0, 1, 2])
        #expect(bench.player.currentItem == nil)
        #expect(bench.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(bench.player.reasonForWaitingToPlay == .noItemToPlay)
        #expect(bench.player.actionAtItemEnd == .advance)
    }

    /// Calls `body` with a player of two items, after each number of steps near the end of the first item while that
    /// is current.
    private func atEachStepOfEnd(_ body: (PlayerTestBench<QueuePlayer>, Comment) -> Void) {
        for count in 0..<1000 {
            let bench = PlayerTestBench(queue: 2)
            bench.player.play()
            bench.driver.run(until: HostTime(nanoseconds: 1_999_000_000))
            var steps = 0
            bench.driver.run(atMost: 1) {
                steps += 1
                return steps > count
            }
            guard bench.player.currentItem === bench.items[0] else { return }
            body(bench, "after \(count) steps")
        }
        Issue.record("the first item has not ended")
    }

    @Test("An item that is inserted after the current one while that one ends is played")
    func insertedAtEnd() {
        atEachStepOfEnd { bench, comment in
            let item = bench.makeItem()
            bench.player.insert(item, after: bench.items[0])
            bench.driver.settle()
            #expect(bench.player.items().contains(item), comment)
            bench.driver.run(atMost: 60)
            #expect(bench.takeLines(of: "end").count == 3 && bench.player.items().isEmpty, comment)
        }
    }

    @Test("An item that has begun when another one is set leaves the player")
    func replacedAtEnd() {
        atEachStepOfEnd { bench, comment in
            let (player, next) = (bench.player, bench.items[1])
            player.replaceCurrentItem(with: bench.makeItem())
            bench.driver.settle()
            // Without a player, the handler is called before the method returns.
            let isAnswered = Locked(false)
            next.seek(to: .ms(40), toleranceBefore: .zero, toleranceAfter: .zero) { _ in
                isAnswered.withLock { $0 = true }
            }
            #expect(isAnswered.withLock { $0 } != player.items().contains(next), comment)
        }
    }

    @Test("Changes of the queue are visible at once on the same thread, and the engine follows")
    func editing() {
        let bench = PlayerTestBench(queue: 2)
        let player = bench.player
        let (first, second) = (bench.items[0], bench.items[1])
        let third = bench.makeItem()
        #expect(!player.canInsert(first, after: nil))
        #expect(player.canInsert(third, after: first))
        #expect(!player.canInsert(third, after: bench.makeItem()))
        player.insert(third, after: first)
        #expect(player.items().map(\.id) == [first.id, third.id, second.id])
        player.insert(third, after: nil)
        #expect(player.items().count == 3)
        player.remove(second)
        #expect(player.items().map(\.id) == [first.id, third.id])
        player.play()
        bench.driver.run(until: HostTime(nanoseconds: 100_000_000))
        player.advanceToNextItem()
        #expect(player.currentItem === third)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<3) + Array(0..<50))
        #expect(player.items().isEmpty)
        player.insert(first, after: nil)
        #expect(player.currentItem === first)
        bench.driver.run(until: HostTime(nanoseconds: 2_600_000_000))
        #expect(player.timeControlStatus == .playing)
        player.removeAllItems()
        #expect(player.currentItem == nil)
        bench.driver.run(atMost: 60)
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
    }

    @Test(
        "After replacing the current item with nil, the queue waits, and inserting or advancing starts its first item"
    )
    func replacedByNothing() {
        let bench = PlayerTestBench(queue: 2)
        let player = bench.player
        let second = bench.items[1]
        let third = bench.makeItem()
        player.play()
        bench.driver.run(until: HostTime(nanoseconds: 100_000_000))
        player.replaceCurrentItem(with: nil)
        #expect(player.currentItem == nil)
        #expect(player.items().map(\.id) == [second.id])
        bench.driver.run(seconds: 1)
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
        #expect(player.items().map(\.id) == [second.id])
        player.insert(third, after: nil)
        #expect(player.currentItem === second)
        #expect(player.items().map(\.id) == [second.id, third.id])
        bench.driver.run(seconds: 1)
        #expect(player.currentItem === second)
        player.replaceCurrentItem(with: nil)
        bench.driver.run(seconds: 1)
        player.advanceToNextItem()
        #expect(player.currentItem === third)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<3) + Array(0..<26) + Array(0..<50))
        #expect(player.items().isEmpty)
    }

    @Test(
        "A queued item that becomes current leaves the queue, and each item plays once",
        arguments: ([0, 100, 1500] as [Int64]).samples,
        [1, 2, 3]
    )
    func replacedByQueued(time: Int64, index: Int) {
        for seed in 0..<5 as Range<UInt64> {
            let bench = PlayerTestBench(queue: 4, seed: seed)
            let ends = Ends(bench)
            let player = bench.player
            player.play()
            if time > 0 { bench.driver.run(until: .ms(time)) }
            let chosen = bench.items[index]
            player.replaceCurrentItem(with: chosen)
            let order = [index] + [1, 2, 3].filter { $0 != index }
            #expect(player.items() == order.map { bench.items[$0] })
            bench.driver.run(seconds: 0.5)
            #expect(player.items() == order.map { bench.items[$0] })
            #expect(player.currentItem === chosen)
            player.replaceCurrentItem(with: chosen)
            bench.driver.run(atMost: 60)
            #expect(ends.order == order)
            #expect(bench.driver.now == .ms(time + 6000))
            #expect(bench.videoSink.numbers.suffix(150) == ArraySlice((0..<3).flatMap { _ in 0..<50 }))
            #expect(player.items().isEmpty)
        }
    }

    @Test("A queued item with a start position, or of another player's queue, can become current")
    func replacedByQueuedElsewhere() {
        let bench = PlayerTestBench(queue: 3)
        let player = bench.player
        bench.items[2].seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        player.play()
        bench.driver.run(until: .ms(200))
        player.replaceCurrentItem(with: bench.items[2])
        #expect(player.currentTime() == .ms(1000))
        bench.driver.run(seconds: 0.5)
        #expect(player.currentTime() == .ms(1500))
        let other = QueuePlayer(items: [], configuration: player.configuration)
        other.replaceCurrentItem(with: bench.items[1])
        #expect(player.items() == [bench.items[2]])
        #expect(other.items() == [bench.items[1]])
        other.insert(bench.items[2], after: nil)
        #expect(player.items().isEmpty)
        other.insert(bench.items[2], after: bench.items[1])
        other.insert(bench.items[1], after: bench.items[2])
        #expect(other.items() == [bench.items[1], bench.items[2]], "what is there is not taken twice")
        other.play()
        bench.driver.run(atMost: 60)
        #expect(other.items().isEmpty)
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
    }

    @Test("A queued item with a start position starts there, even while it is being opened")
    func startPosition() {
        let bench = PlayerTestBench(queue: 2)
        let player = bench.player
        let second = bench.items[1]
        second.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        player.play()
        bench.driver.run(until: HostTime(nanoseconds: 100_000_000))
        player.advanceToNextItem()
        var steps = 0
        while second.status != .readyToPlay || player.timeControlStatus != .playing, steps < 10_000 {
            #expect(player.currentTime() == .ms(1000))
            bench.driver.step()
            steps += 1
        }
        #expect(second.status == .readyToPlay)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<3) + Array(25..<50))
    }

    @Test("A start position that is set on an item that is ready applies once")
    func startPositionOfPrepared() {
        let bench = PlayerTestBench(queue: 2)
        let (player, second) = (bench.player, bench.items[1])
        player.play()
        bench.driver.run(until: HostTime(nanoseconds: 1_500_000_000))
        second.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(second.currentTime() == .ms(1000))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(25..<50))
        player.insert(second, after: nil)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.suffix(50) == ArraySlice(0..<50))
    }

    @Test("The current item leaves the queue when it is assigned to another player, and the next one plays")
    func currentMoves() {
        let bench = PlayerTestBench(queue: 2)
        let other = QueuePlayer(items: [], configuration: bench.player.configuration)
        other.insert(bench.items[0], after: nil)
        #expect(bench.player.currentItem === bench.items[1])
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
    }

    @Test("A queued item leaves the queue when it is assigned to another player")
    func moves() {
        let bench = PlayerTestBench(queue: 2)
        let other = QueuePlayer(items: [], configuration: bench.player.configuration)
        other.insert(bench.items[1], after: nil)
        #expect(bench.player.items().map(\.id) == [bench.items[0].id])
        #expect(other.currentItem === bench.items[1])
        bench.driver.settle()
    }

    @Test("A looper repeats a range, exact to the frame and the sample, until it is disabled")
    func looper() throws {
        let bench = PlayerTestBench(queue: 0)
        let player = bench.player
        let range = MediaTimeRange(start: .ms(200), duration: .ms(400))
        let looper = PlayerLooper(player: player, templateItem: bench.makeItem(), timeRange: range)
        #expect(looper.loopingPlayerItems.count == 3)
        #expect(looper.status == .unknown)
        player.play()
        bench.driver.run(until: HostTime(nanoseconds: 10_500_000_000))
        #expect(looper.status == .ready)
        #expect(looper.loopCount == 26)
        #expect(player.items().count == 3)
        looper.disableLooping()
        #expect(looper.status == .cancelled)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == (0..<27).flatMap { _ in 5..<15 })
        let samples = (0..<27).flatMap { _ in 9_600..<28_800 }
        #expect(bench.audioSink.samples == samples.map { Int16(truncatingIfNeeded: $0) })
        #expect(bench.driver.now == HostTime(nanoseconds: 10_800_000_000))
        #expect(player.items().isEmpty)
    }
}

/// Records which items reach their ends, in order.
private final class Ends: Sendable {
    private let seen = Locked([Int]())
    var order: [Int] { seen.withLock { $0 } }
    private let token = Locked<ObservationToken?>(nil)

    init(_ bench: PlayerTestBench<QueuePlayer>) {
        let items = bench.items
        let token = bench.player.onEvent { [weak self] timed in
            guard case .didPlayToEndTime(let item) = timed.event,
                let index = items.firstIndex(where: { $0 === item })
            else { return }
            self?.seen.withLock { $0.append(index) }
        }
        self.token.withLock { $0 = token }
    }
}
