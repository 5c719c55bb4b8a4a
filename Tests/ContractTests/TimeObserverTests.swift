import Dispatch
import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: time observers")
struct TimeObserverTests {
    /// Records the item time in milliseconds of each call.
    final class Times: Sendable {
        private let state = Locked([Int64]())
        var all: [Int64] { state.withLock { $0 } }
        func add(_ time: MediaTime) { state.withLock { $0.append((time.nanoseconds ?? -1) / 1_000_000) } }
    }

    private func periodic(_ bench: PlayerTestBench<Player>, every interval: Int64) -> (Times, TimeObserver) {
        let times = Times()
        return (times, bench.player.addPeriodicTimeObserver(forInterval: .ms(interval)) { times.add($0) })
    }

    private func boundary(_ bench: PlayerTestBench<Player>, _ at: [Int64]) -> (Times, TimeObserver) {
        let times = Times()
        let player = bench.player
        let token = player.addBoundaryTimeObserver(forTimes: at.map { .ms($0) }) { [weak player] in
            times.add(player?.currentTime() ?? .invalid)
        }
        return (times, token)
    }

    @Test(
        "A periodic observer counts item time, so its calls are twice as frequent at twice the rate",
        arguments: [0.5, 1, 2] as [Float]
    )
    func itemTime(rate: Float) {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let (times, token) = periodic(bench, every: 400)
        bench.player.rate = rate
        bench.driver.run(until: HostTime(nanoseconds: Int64(1.9e9 / Double(rate))))
        #expect(times.all == [0, 400, 800, 1200, 1600])
        token.invalidate()
    }

    @Test("A periodic observer is also called when playback starts, stops and jumps, and never while paused")
    func startsStopsJumps() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let (times, token) = periodic(bench, every: 10_000)
        bench.player.play()
        bench.driver.run(seconds: 0.3)
        bench.player.pause()
        bench.driver.run(seconds: 30)
        #expect(times.all == [0, 300])
        bench.seek("seek", to: .ms(1200))
        bench.driver.run(seconds: 30)
        #expect(times.all == [0, 300, 1200])
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(times.all == [0, 300, 1200, 1200, 2000])
        token.invalidate()
    }

    @Test("During a seek a periodic observer never reports the time before it")
    func neverBack() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.player.play()
        let (times, token) = periodic(bench, every: 100)
        bench.driver.run(until: .ms(450))
        bench.seek("seek", to: .ms(1500))
        bench.driver.run(seconds: 0.25)
        #expect(times.all == [100, 200, 300, 400, 450, 1500, 1500, 1600, 1700])
        token.invalidate()
    }

    @Test("A boundary is reported when playback reaches or passes it, once in each pass of a loop")
    func boundaries() {
        let bench = PlayerTestBench(.silentClip())
        bench.player.repeatMode = .loop
        bench.load()
        let (times, token) = boundary(bench, [1300, 700, 9000])
        bench.player.play()
        bench.driver.run(until: .ms(5900))
        #expect(times.all == [700, 1300, 700, 1300, 700, 1300])
        token.invalidate()
    }

    @Test("A seek to or over a boundary is not reported, and playback that passes it afterwards is")
    func boundariesAndSeeks() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        let (times, token) = boundary(bench, [400, 800])
        bench.player.play()
        bench.driver.run(until: .ms(100))
        bench.seek("over", to: .ms(600))
        bench.driver.run(seconds: 0.1)
        #expect(times.all.isEmpty)
        bench.player.pause()
        bench.seek("onto", to: .ms(800))
        bench.driver.run(seconds: 1)
        #expect(times.all.isEmpty)
        bench.player.play()
        bench.driver.run(seconds: 0.1)
        #expect(times.all == [800])
        token.invalidate()
    }

    @Test("After another item has been set, boundaries are reported from the position at which it begins")
    func replacedItems() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let first = bench.player.currentItem
        let (times, token) = boundary(bench, [400, 900, 1400])
        bench.player.play()
        bench.driver.run(until: .ms(1200))
        #expect(times.all == [400, 900])
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.driver.run(seconds: 0.5)
        #expect(times.all == [400, 900, 400])
        // The first item continues where it was.
        bench.player.replaceCurrentItem(with: first)
        bench.driver.run(seconds: 0.1)
        #expect(times.all == [400, 900, 400])
        bench.driver.run(seconds: 0.2)
        #expect(times.all == [400, 900, 400, 1400])
        token.invalidate()
    }

    @Test("Playback that begins exactly on a boundary reports it")
    func boundaryAtZero() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let (times, token) = boundary(bench, [0, 500])
        bench.driver.run(seconds: 1)
        #expect(times.all.isEmpty, "playback has not begun")
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(times.all == [0, 500])
        token.invalidate()
    }

    @Test("Reverse playback reports boundaries as well")
    func backward() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        bench.seek("seek", to: .ms(1500))
        let (times, token) = boundary(bench, [400, 1000])
        bench.player.rate = -1
        bench.driver.run(seconds: 3)
        #expect(times.all == [1000, 400])
        token.invalidate()
    }

    @Test(
        "An observer that is removed, invalidated or released is not called again; removal may be repeated"
    )
    func removal() {
        let bench = PlayerTestBench(.silentClip())
        let other = Player(configuration: bench.player.configuration)
        bench.load()
        var counts: [Int] = []
        for end in 0..<3 {
            var (times, token): (Times, TimeObserver?) = periodic(bench, every: 100)
            bench.player.play()
            bench.driver.run(seconds: 0.2)
            switch end {
            case 0: other.removeTimeObserver(token!)
            case 1: token?.invalidate()
            default: token = nil
            }
            token?.invalidate()
            let before = times.all.count
            bench.driver.run(seconds: 0.3)
            counts.append(times.all.count - before)
            #expect(before > 0)
        }
        #expect(counts == [0, 0, 0])
    }

    @Test("An observer may remove itself, and observers without a period or times do no harm")
    func inside() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let token = Locked<TimeObserver?>(nil)
        let times = Times()
        let made = bench.player.addPeriodicTimeObserver(forInterval: .ms(100)) { time in
            times.add(time)
            token.withLock { $0 }?.invalidate()
        }
        token.withLock { $0 = made }
        let odd = [
            bench.player.addBoundaryTimeObserver(forTimes: []) {},
            bench.player.addBoundaryTimeObserver(forTimes: [.invalid, .indefinite]) {},
            bench.player.addPeriodicTimeObserver(forInterval: .invalid) { _ in },
        ]
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(times.all == [0])
        for token in odd { token.invalidate() }
    }
}
