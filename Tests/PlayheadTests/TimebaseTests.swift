import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Timebase")
struct TimebaseTests {
    @Test("Item time and host time convert both ways, hold at the end, and stop during a pause")
    func mapping() throws {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        let timebase = item.timebase
        #expect(timebase.rate == 0 && timebase.hostTime == nil && timebase.time == .zero)
        bench.player.replaceCurrentItem(with: item)
        bench.player.rate = 2
        bench.driver.run(until: .ms(300))
        #expect(timebase.rate == 2)
        #expect(timebase.hostTime == .ms(300))
        #expect(timebase.time == .ms(600))
        #expect(timebase.time(atHostTime: .ms(550)) == .ms(1100))
        #expect(timebase.hostTime(atTime: .ms(1100)) == .ms(550))
        // Times before the start are held at the start and are not reached any more.
        #expect(timebase.time(atHostTime: .ms(-5)) == .zero)
        bench.player.pause()
        bench.driver.settle()
        #expect(timebase.rate == 0)
        #expect(timebase.time(atHostTime: .ms(99_000)) == .ms(600))
        #expect(timebase.hostTime(atTime: .ms(1100)) == nil)
        bench.player.play()
        bench.driver.run(atMost: 60)
        // Two seconds of media: 600 ms played in 300 ms, the rest at natural speed.
        #expect(bench.driver.now == .ms(1700))
        #expect(timebase.time(atHostTime: .ms(99_000)) == .ms(2000))
    }

    @Test("Every output maps the times of the item that it was added to last")
    func outputs() {
        let bench = PlayerTestBench()
        let (item, other) = (bench.makeItem(), bench.makeItem())
        let output = VideoOutput()
        #expect(output.itemTime(forHostTime: .ms(0)) == nil)
        item.add(output)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: .ms(500))
        #expect(output.itemTime(forHostTime: .ms(700)) == .ms(700))
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(output.itemTime(forHostTime: .ms(700)) == .ms(1000))
        #expect(item.timebase.time == .ms(1000))
        bench.driver.run(until: .ms(600))
        #expect(output.itemTime(forHostTime: .ms(700)) == .ms(1200))
        other.add(output)
        #expect(output.itemTime(forHostTime: .ms(700)) == .zero)
        other.remove(output)
        #expect(output.item == nil)
    }

    @Test("The effective rate is reported after its cause, and jumps are reported as such")
    func notices() {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        let reported = Locked([String]())
        let token = bench.player.onEvent { timed in
            switch timed.event {
            case .effectiveRateChanged(_, let rate): reported.withLock { $0.append("effective \(rate)") }
            case .rateChanged(_, let rate, _): reported.withLock { $0.append("rate \(rate)") }
            case .timeJumped: reported.withLock { $0.append("jumped") }
            default: break
            }
        }
        let posts = Locked(0)
        let observer = NotificationCenter.default.addObserver(
            forName: Timebase.effectiveRateDidChange,
            object: item,
            queue: nil
        ) { _ in posts.withLock { $0 += 1 } }
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: .ms(500))
        item.seek(to: .ms(100), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(until: .ms(600))
        bench.player.rate = 2
        bench.driver.run(atMost: 60)
        #expect(
            reported.withLock { $0 } == [
                "rate 1.0", "effective 1.0", "effective 0.0", "jumped", "effective 1.0", "rate 2.0",
                "effective 2.0", "rate 0.0", "effective 0.0",
            ]
        )
        #expect(posts.withLock { $0 } == 5)
        NotificationCenter.default.removeObserver(observer)
        token.invalidate()
    }
}
