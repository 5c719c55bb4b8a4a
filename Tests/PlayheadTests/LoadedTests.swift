import Playhead
import PlayheadTesting
import Synchronization
import Testing

/// The loaded ranges that a player reports, in milliseconds; nil for none.
private final class ReportedRanges: Sendable {
    private let state = Mutex([ClosedRange<Int64>?]())
    private let token = Mutex<ObservationToken?>(nil)

    var ranges: [ClosedRange<Int64>?] { state.withLock { $0 } }

    init(_ player: Player) {
        let token = player.onEvent { [weak self] event in
            guard case .loadedTimeRangesChanged(_, let ranges) = event.event else { return }
            let range = ranges.first.map { Int64($0.start.seconds * 1000)...Int64($0.end.seconds * 1000) }
            self?.state.withLock { $0.append(range) }
        }
        self.token.withLock { $0 = token }
    }
}

@Suite("Loaded time ranges and capabilities of items")
struct LoadedTests {
    @Test(
        "The loaded range is empty until the item is ready, grows in steps, and at the end contains what is kept",
        arguments: 0..<20
    )
    func grows(seed: UInt64) {
        let bench = PlayerTestBench(
            // With thirds of a second, the end of a packet is not a whole number of nanoseconds.
            ScriptedMedia(video: .init(frameCount: 300, frameRate: 30, keyInterval: 10)),
            seed: seed
        )
        let item = bench.makeItem()
        let reported = ReportedRanges(bench.player)
        #expect(item.loadedTimeRanges.isEmpty)
        bench.player.replaceCurrentItem(with: item)
        #expect(item.loadedTimeRanges.isEmpty)
        bench.driver.run(atMost: 1)
        // One second is read ahead of decoding, and one or two frames are decoded.
        let first = item.loadedTimeRanges.first
        #expect(first?.start == .zero)
        #expect(first.map { $0.end >= .ms(1000) && $0.end <= .ms(1200) } == true)
        bench.player.play()
        bench.driver.run(atMost: 60)
        let ranges = reported.ranges.compactMap(\.self)
        #expect(ranges.count == reported.ranges.count)
        #expect(ranges.last?.upperBound == 10_000)
        #expect(ranges.count <= 41)
        for (old, new) in zip(ranges, ranges.dropFirst()) {
            #expect(new.upperBound - old.upperBound >= 250 || new.upperBound == 10_000)
            #expect(new.lowerBound >= old.lowerBound)
        }
        #expect(item.loadedTimeRanges.first.map { $0.start < .ms(9500) && $0.end == .ms(10_000) } == true)
    }

    @Test("A seek empties the range, which then starts at the key frame before the target")
    func seek() {
        let bench = PlayerTestBench(ScriptedMedia(video: .init(frameCount: 250, keyInterval: 10)))
        let item = bench.makeItem()
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(atMost: 1)
        let reported = ReportedRanges(bench.player)
        bench.player.seek(to: .ms(5000), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(atMost: 1)
        #expect(reported.ranges.first == .some(nil))
        #expect(reported.ranges.dropFirst().allSatisfy { $0?.lowerBound == 4800 })
        #expect(item.loadedTimeRanges.first?.start == .ms(4800))
        #expect(item.loadedTimeRanges.first.map { $0.end >= .ms(6000) } == true)
    }

    @Test("The loaded range ends at the playback end time")
    func endTime() {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        item.forwardPlaybackEndTime = .ms(700)
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(atMost: 1)
        #expect(item.loadedTimeRanges.first?.end.seconds ?? 9 <= 0.7)
        #expect(item.loadedTimeRanges.first?.end.seconds ?? 0 >= 0.6)
    }

    @Test(
        "Capabilities are false before the item is ready, and then depend on seekable video"
    )
    func abilities() {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        func abilities() -> [Bool] {
            [
                item.canPlayFastForward, item.canPlaySlowForward, item.canStepForward, item.canPlayReverse,
                item.canPlaySlowReverse, item.canPlayFastReverse, item.canStepBackward,
            ]
        }
        #expect(abilities() == Array(repeating: false, count: 7))
        let log = Column()
        let token = item.observe(\.canStepForward, options: .new) { _, change in
            log.add("\(change.newValue ?? false)")
        }
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(atMost: 1)
        #expect(abilities() == [true, true, true, true, true, true, true])
        #expect(log.lines == ["true"])
        token.invalidate()
    }
}
