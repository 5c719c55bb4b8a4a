import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Preroll and scheduled starts")
struct PrerollTests {
    private func answers(_ bench: PlayerTestBench<Player>, _ count: Int) -> Locked<[Bool]> {
        let answers = Locked([Bool]())
        for _ in 0..<count {
            bench.player.preroll(atRate: 1) { answer in answers.withLock { $0.append(answer) } }
        }
        return answers
    }

    @Test("Preroll returns true when everything is available, and time has not advanced")
    func ready() {
        let bench = PlayerTestBench()
        bench.player.replaceCurrentItem(with: bench.makeItem())
        let results = answers(bench, 2)
        bench.driver.run(atMost: 5)
        #expect(results.withLock { $0 } == [true, true])
        #expect(bench.videoSink.numbers == [0])
        #expect(bench.player.rate == 0)
    }

    @Test("Preroll returns false exactly once if something else intervenes")
    func interrupted() {
        for interruption in 0..<6 {
            let bench = PlayerTestBench()
            if interruption > 0 { bench.player.replaceCurrentItem(with: bench.makeItem()) }
            if interruption == 1 { bench.player.play() }
            let results = answers(bench, 1)
            switch interruption {
            case 2: bench.player.play()
            case 3: bench.player.replaceCurrentItem(with: nil)
            case 4: bench.player.cancelPendingPrerolls()
            case 5: bench.player.replaceCurrentItem(with: bench.makeItem())
            default: break
            }
            bench.driver.run(atMost: 5)
            #expect(results.withLock { $0 } == [false], "interruption \(interruption)")
        }
    }

    @Test("Before a scheduled start the player waits at the time, and it starts exact to the nanosecond")
    func future() {
        let bench = PlayerTestBench()
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.player.setRate(1, time: .ms(400), atHostTime: .ms(3000))
        #expect(bench.player.rate == 1)
        #expect(bench.player.currentTime() == .ms(400))
        bench.driver.run(until: HostTime(nanoseconds: 2_000_000_000))
        #expect(bench.player.currentTime() == .ms(400))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(10..<50))
        for case .present(let number, _, _, let host) in bench.videoSink.calls where number > 10 {
            #expect(host == 3_000_000_000 + Int64(number - 10) * 40_000_000)
        }
        #expect(bench.audioSink.samples == (19_200..<96_000).map { Int16(truncatingIfNeeded: $0) })
    }

    @Test("After a scheduled start in the past the player catches up; an invalid time is the present one")
    func past() {
        let bench = PlayerTestBench()
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.driver.run(until: HostTime(nanoseconds: 1_000_000_000))
        bench.player.setRate(1, time: .ms(0), atHostTime: .ms(600))
        bench.driver.run(until: HostTime(nanoseconds: 1_000_000_001))
        #expect(bench.player.currentTime() >= .ms(400))
        bench.driver.run(until: HostTime(nanoseconds: 1_200_000_000))
        #expect(bench.player.currentTime() == .ms(600))
        bench.player.setRate(2, time: .invalid, atHostTime: .invalid)
        bench.driver.run(atMost: 60)
        #expect(bench.driver.now == HostTime(nanoseconds: 1_900_000_000))
        #expect(bench.videoSink.numbers.last == 49)
    }

    @Test("A time after the end of the item is the end")
    func afterEnd() {
        let bench = PlayerTestBench()
        let item = bench.load()
        bench.player.setRate(0, time: .ms(5000), atHostTime: .invalid)
        #expect(bench.player.currentTime() == item.duration)
        bench.driver.settle()
        #expect(bench.player.currentTime() <= item.duration)
    }

    @Test("A pause cancels a scheduled start")
    func pausedBefore() {
        let bench = PlayerTestBench()
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.player.setRate(1, time: .ms(400), atHostTime: .ms(3000))
        bench.driver.run(until: HostTime(nanoseconds: 1_000_000_000))
        bench.player.pause()
        bench.driver.run(until: HostTime(nanoseconds: 4_000_000_000))
        #expect(bench.videoSink.numbers.last == 10)
        #expect(bench.player.currentTime() == .ms(400))
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.driver.now == HostTime(nanoseconds: 5_600_000_000))
    }
}
