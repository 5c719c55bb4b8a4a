import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

// Rule: repeated-end
@Suite("Actions in the handler of an end, on the manual driver")
struct EndHandlerTests {
    /// Calls `body` at each end, and at each failure to play to the end.
    private func atEachEnd(
        _ bench: PlayerTestBench<Player>,
        _ body: @escaping @Sendable (Player) -> Void
    ) -> ObservationToken {
        bench.player.onEvent { [weak player = bench.player] timed in
            switch timed.event {
            case .didPlayToEndTime, .failedToPlayToEndTime: if let player { body(player) }
            default: break
            }
        }
    }

    @Test(
        "play() in the handler of each end causes only a few end events per second",
        arguments: [Player.ActionAtItemEnd.pause, .advance, .none],
        [1, -1] as [Float]
    )
    func play(_ action: Player.ActionAtItemEnd, _ rate: Float) {
        let bench = PlayerTestBench(.silentClip())
        bench.player.actionAtItemEnd = action
        bench.load()
        if rate < 0 { bench.seek("sought", to: .ms(2000)) }
        bench.driver.settle()
        let token = atEachEnd(bench) { $0.rate = rate }
        bench.player.rate = rate
        bench.driver.run(until: .ms(1990))
        #expect(bench.takeLines(of: "end").isEmpty)
        bench.driver.run(until: .ms(3990))
        #expect(bench.takeLines(of: "end").count == (action == .none ? 1 : 8))
        #expect(bench.player.rate == (action == .none ? rate : 0))
        token.invalidate()
        bench.driver.run(until: .ms(4990))
        #expect(bench.takeLines(of: "end").count <= 1)
    }

    @Test("Failures at lost data and loops without a duration cause no more end events than that")
    func others() {
        let lost = PlayerTestBench(.silentClip())
        lost.load(ScriptedMedia(video: .init(frameCount: 250), faults: [.cutOff(atPacket: 100)]))
        let first = atEachEnd(lost) { $0.play() }
        lost.player.play()
        lost.driver.run(seconds: 10)
        #expect((2...25).contains(lost.takeLines(of: "failed").count))
        let short = PlayerTestBench(.silentClip())
        let item = short.makeItem()
        item.forwardPlaybackEndTime = MediaTime(value: 1, timescale: 1_000_000_000)
        short.player.repeatMode = .loop
        short.load(item)
        let second = atEachEnd(short) { $0.play() }
        short.player.play()
        short.driver.run(seconds: 10)
        #expect((2...42).contains(short.takeLines(of: "end").count))
        first.invalidate()
        second.invalidate()
    }

    enum Way: CaseIterable, Sendable {
        /// Seeks to the end, beyond it, and to shortly before it.
        case end, beyond, before
        /// Sets the rate before the seek, or not at all. In the latter case the action at the end is `none`.
        case playFirst, seekOnly
        case awaited, appointed
    }

    @Test(
        "A seek to the end in the handler of each end causes only a few end events, whatever follows it",
        arguments: Way.allCases.samples,
        [1, -1] as [Float]
    )
    func seekToTheEnd(way: Way, rate: Float) {
        for media in [ScriptedMedia.silentClip(), .clip(), ScriptedMedia(audio: .init(sampleCount: 96_000))] {
            if rate < 0, media.video == nil { continue }
            for repeats in [false, true] {
                let bench = PlayerTestBench(media)
                if way == .seekOnly { bench.player.actionAtItemEnd = .none }
                if repeats { bench.player.repeatMode = .loop }
                bench.load()
                if rate < 0 { bench.seek("sought", to: .ms(2000)) }
                bench.driver.settle()
                let token = atEachEnd(bench) { player in
                    var end: MediaTime = rate > 0 ? .ms(2000) : .zero
                    if way == .beyond { end = rate > 0 ? .ms(9000) : .ms(-1000) }
                    if way == .before { end = rate > 0 ? .ms(1999) : .ms(1) }
                    if way == .playFirst { player.rate = rate }
                    if way == .appointed {
                        player.setRate(rate, time: end, atHostTime: .zero)
                    } else {
                        player.seek(to: end, toleranceBefore: .zero, toleranceAfter: .zero)
                    }
                    if way != .playFirst, way != .seekOnly, way != .appointed { player.rate = rate }
                }
                bench.player.rate = rate
                bench.driver.run(until: .ms(1990))
                #expect(bench.takeLines(of: "end").isEmpty)
                bench.driver.run(until: .ms(5990))
                let count = bench.takeLines(of: "end").count
                #expect((2...16).contains(count), "\(media) \(repeats) \(count)")
                #expect((0...2000).contains(Int(bench.player.currentTime().seconds * 1000)))
                token.invalidate()
            }
        }
    }

    @Test(
        "Seeks to an end time, to lost data, or in an item without a duration cause only a few end events as well"
    )
    func otherEnds() {
        func count(_ bench: PlayerTestBench<Player>, _ target: MediaTime) -> Int {
            let token = atEachEnd(bench) { player in
                player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
                player.play()
            }
            bench.player.play()
            bench.driver.run(seconds: 10)
            token.invalidate()
            return bench.takeLines(of: "end", "failed").count
        }
        let set = PlayerTestBench(.silentClip())
        let item = set.makeItem()
        item.forwardPlaybackEndTime = .ms(1000)
        set.load(item)
        #expect((2...40).contains(count(set, .ms(1000))))
        let lost = PlayerTestBench(
            ScriptedMedia(video: .init(frameCount: 250), faults: [.cutOff(atPacket: 100)])
        )
        lost.load()
        #expect((2...40).contains(count(lost, .ms(4000))))
        let short = PlayerTestBench(.silentClip())
        let nothing = short.makeItem()
        nothing.forwardPlaybackEndTime = MediaTime(value: 1, timescale: 1_000_000_000)
        short.load(nothing)
        #expect((2...42).contains(count(short, .zero)))
    }

    @Test(
        "One frame that is replayed at each end keeps its duration, and so do queued items that are nearly empty"
    )
    func shortItems() {
        let bench = PlayerTestBench(ScriptedMedia(video: .init(frameCount: 1)))
        bench.load()
        let token = atEachEnd(bench) { player in
            player.seek(to: .zero)
            player.play()
        }
        bench.player.play()
        bench.driver.run(until: .ms(990))
        #expect(bench.takeLines(of: "end").count == 24)
        token.invalidate()
        let queue = PlayerTestBench(queue: 5, of: .silentClip())
        for item in queue.items {
            item.forwardPlaybackEndTime = MediaTime(value: 1, timescale: 1_000_000_000)
        }
        queue.player.play()
        queue.driver.run(seconds: 0.1)
        #expect(queue.takeLines(of: "end").count == 5)
    }

    @Test("A program that plays whenever the rate becomes zero causes only a few end events per second")
    func wheneverPaused() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        let changes = Locked(0)
        let token = bench.player.onEvent { [weak player = bench.player] timed in
            guard case .rateChanged = timed.event else { return }
            changes.withLock { $0 += 1 }
            if player?.rate == 0 { player?.play() }
        }
        bench.player.play()
        bench.driver.run(seconds: 12)
        let count = changes.withLock { $0 }
        #expect(count <= 12 * 10)
        #expect(bench.takeLines(of: "end").count <= 12 * 5)
        token.invalidate()
    }

    @Test("play() before or after seek(to: .zero) in the handler causes one end per pass", arguments: 0..<16)
    func laps(seed: UInt64) {
        let bench = PlayerTestBench(.silentClip(), seed: seed)
        bench.load()
        let token = atEachEnd(bench) { player in
            if seed % 2 == 0 { player.play() }
            player.seek(to: .zero)
            if seed % 2 == 1 { player.play() }
        }
        bench.player.play()
        bench.driver.run(until: .ms(7990))
        #expect(bench.takeLines(of: "end").count == 3)
        #expect(bench.videoSink.numbers == (0..<4).flatMap { _ in 0..<50 })
        #expect(bench.stateLine == "1.0 playing")
        token.invalidate()
    }

    enum Then: CaseIterable, Sendable {
        case seek, replace, move, loop, none, pause, setRate, step, turn
    }

    @Test(
        "play() at the end, then another action: no end is reported in between, and playback continues at the rate",
        arguments: Then.allCases,
        [0, 1000] as [Int64]
    )
    func then(_ then: Then, pause: Int64) throws {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        item.forwardPlaybackEndTime = .ms(1000)
        bench.load(item)
        bench.player.play()
        bench.driver.run(until: .ms(1000 + pause))
        _ = bench.takeLines()
        bench.player.rate = 0.5
        switch then {
        case .seek: bench.player.seek(to: .zero)
        case .replace: bench.player.replaceCurrentItem(with: bench.makeItem())
        case .move: item.forwardPlaybackEndTime = .invalid
        case .loop: bench.player.repeatMode = .loop
        case .none: bench.player.actionAtItemEnd = .none
        case .pause: bench.player.pause()
        case .setRate: bench.player.rate = 0.25
        case .step: item.step(byCount: -1)
        case .turn: bench.player.rate = -0.5
        }
        bench.driver.run(seconds: 0.5)
        let rate: Float =
            switch then {
            case .seek, .replace, .move, .loop, .none: 0.5
            case .pause, .setRate, .step: 0
            case .turn: -0.5
            }
        #expect(bench.player.rate == rate)
        let ends = bench.takeLines(of: "end").count
        #expect(ends == (then == .setRate ? 1 : 0))
        #expect(bench.player.timeControlStatus == (rate == 0 ? .paused : .playing))
    }

    @Test("Each play() at the end reports the end once more, at its time, and a pause cancels it")
    func afterASeek() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(bench.takeLines(of: "end").count == 1)
        for _ in 0..<3 {
            bench.player.play()
            bench.driver.run(seconds: 1)
            #expect(bench.stateLine == "0.0 paused")
            #expect(bench.takeLines(of: "end").count == 1)
        }
        bench.seek("sought", to: .ms(1900))
        bench.player.play()
        bench.driver.run(seconds: 1)
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(bench.takeLines(of: "end").count == 2)
        bench.player.play()
        bench.player.pause()
        bench.driver.run(seconds: 1)
        #expect(bench.takeLines(of: "end").isEmpty)
    }
}
