import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Item time against host time, on the manual driver")
struct TimebaseTests {
    private func host(_ milliseconds: Int64) -> HostTime {
        HostTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test("Both ways at a rate, held at the end, and standing in a pause")
    func mapping() throws {
        let theatre = Theatre()
        let item = theatre.makeItem()
        let timebase = item.timebase
        #expect(timebase.rate == 0 && timebase.hostTime == nil && timebase.time == .zero)
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.rate = 2
        theatre.driver.run(until: host(300))
        #expect(timebase.rate == 2)
        #expect(timebase.hostTime == host(300))
        #expect(timebase.time == .ms(600))
        #expect(timebase.time(atHostTime: host(550)) == .ms(1100))
        #expect(timebase.hostTime(atTime: .ms(1100)) == host(550))
        // What is passed holds at the start, and comes no more.
        #expect(timebase.time(atHostTime: host(-5)) == .zero)
        theatre.player.pause()
        theatre.driver.settle()
        #expect(timebase.rate == 0)
        #expect(timebase.time(atHostTime: host(99_000)) == .ms(600))
        #expect(timebase.hostTime(atTime: .ms(1100)) == nil)
        theatre.player.play()
        theatre.driver.run(atMost: 60)
        // Two seconds of media: 600 ms by 300, the rest at natural speed.
        #expect(theatre.driver.now == host(1700))
        #expect(timebase.time(atHostTime: host(99_000)) == .ms(2000))
    }

    @Test("An output of any kind maps the times of the item that it was added to last")
    func outputs() {
        let theatre = Theatre()
        let (item, other) = (theatre.makeItem(), theatre.makeItem())
        let output = VideoOutput()
        #expect(output.itemTime(forHostTime: host(0)) == nil)
        item.add(output)
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(until: host(500))
        #expect(output.itemTime(forHostTime: host(700)) == .ms(700))
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(output.itemTime(forHostTime: host(700)) == .ms(1000))
        #expect(item.timebase.time == .ms(1000))
        theatre.driver.run(until: host(600))
        #expect(output.itemTime(forHostTime: host(700)) == .ms(1200))
        other.add(output)
        #expect(output.itemTime(forHostTime: host(700)) == .zero)
        other.remove(output)
        #expect(output.item == nil)
    }

    @Test("The rate that time really has is told behind what changed it, and jumps are told as such")
    func notices() {
        let theatre = Theatre()
        let item = theatre.makeItem()
        let told = Locked([String]())
        let token = theatre.player.onEvent { timed in
            switch timed.event {
            case .effectiveRateChanged(_, let rate): told.withLock { $0.append("effective \(rate)") }
            case .rateChanged(_, let rate, _): told.withLock { $0.append("rate \(rate)") }
            case .timeJumped: told.withLock { $0.append("jumped") }
            default: break
            }
        }
        let posts = Locked(0)
        let observer = NotificationCenter.default.addObserver(
            forName: Timebase.effectiveRateDidChange,
            object: item,
            queue: nil
        ) { _ in posts.withLock { $0 += 1 } }
        theatre.player.replaceCurrentItem(with: item)
        theatre.player.play()
        theatre.driver.run(until: host(500))
        item.seek(to: .ms(100), toleranceBefore: .zero, toleranceAfter: .zero)
        theatre.driver.run(until: host(600))
        theatre.player.rate = 2
        theatre.driver.run(atMost: 60)
        #expect(
            told.withLock { $0 } == [
                "rate 1.0", "effective 1.0", "effective 0.0", "jumped", "effective 1.0", "rate 2.0",
                "effective 2.0", "rate 0.0", "effective 0.0",
            ]
        )
        #expect(posts.withLock { $0 } == 5)
        NotificationCenter.default.removeObserver(observer)
        token.invalidate()
    }
}
