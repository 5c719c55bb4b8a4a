import Playhead
import PlayheadTesting
import Testing

// Rule: item-position
@Suite("Contract: reinserted items keep their properties, and accept requests before they are open again")
struct ReinsertedItemRequestTests {
    enum Duration: CaseIterable, Sendable { case declared, estimated, unknown }

    @Test(
        "A corrected duration is kept in another player and in a queue, and is not reported again",
        arguments: Duration.allCases,
        [true, false]
    )
    func duration(declaration: Duration, inQueue: Bool) {
        var media = ScriptedMedia.silentClip()
        switch declaration {
        case .declared: media.declaredDuration = .ms(2900)
        case .estimated: media.estimatedDuration = .ms(5000)
        case .unknown: media.estimatedDuration = .indefinite
        }
        let bench = PlayerTestBench(media)
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(item.duration == .ms(2000))
        let reported = Locked([MediaTime]())
        let token = item.observe(\.duration, options: .new) { item, _ in
            reported.withLock { $0.append(item.duration) }
        }
        bench.seek("back", to: .zero)
        bench.driver.settle()
        let next = PlayerTestBench(queue: 0, of: .silentClip())
        if inQueue {
            let first = next.makeItem()
            next.player.insert(first, after: nil)
            next.player.insert(item, after: first)
            next.player.play()
        } else {
            next.player.replaceCurrentItem(with: item)
        }
        while next.driver.step() { #expect(item.duration == .ms(2000)) }
        next.driver.run(seconds: 2.5)
        #expect(next.player.currentItem === item)
        #expect(item.duration == .ms(2000))
        #expect(item.seekableTimeRanges == [MediaTimeRange(start: .zero, duration: .ms(2000))])
        next.player.seek(to: .ms(2400), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(item.currentTime() == .ms(2000))
        next.driver.run(seconds: 5)
        #expect(reported.withLock { $0 }.isEmpty)
        token.invalidate()
    }

    @Test("Corrections from a second playback apply too, and a copy begins with the declared values")
    func learntLater() {
        var media = ScriptedMedia.silentClip()
        media.declaredDuration = .ms(2900)
        let bench = PlayerTestBench(media)
        let item = bench.load()
        bench.load(.silentClip())
        bench.load(item)
        #expect(item.duration == .ms(2900))
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(item.duration == .ms(2000))
        let copy = bench.load(item.makeCopy())
        #expect(copy.duration == .ms(2900))
    }

    @Test(
        "A step is performed once the item is open again, from its last position",
        arguments: [1, -1, 4, -4],
        0..<4
    )
    func steps(count: Int, seed: UInt64) {
        let bench = PlayerTestBench(.clip(), seed: seed)
        let main = bench.load()
        bench.player.play()
        bench.driver.run(until: .ms(1000))
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.driver.run(seconds: 0.2)
        bench.player.replaceCurrentItem(with: main)
        for _ in 0..<Int(seed) * 2 { bench.driver.step() }
        main.step(byCount: count)
        bench.driver.run(seconds: 1)
        #expect(bench.videoSink.numbers.last == 25 + count)
        #expect(main.currentTime() == .ms(1000 + Int64(count) * 40))
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test("Steps add up, a following seek cancels them, and playback continues from their target")
    func others() {
        let bench = PlayerTestBench(.clip())
        let main = bench.load()
        bench.seek("sought", to: .ms(1000))
        bench.driver.settle()
        func reinsert() {
            bench.player.replaceCurrentItem(with: nil)
            bench.player.replaceCurrentItem(with: main)
        }
        reinsert()
        main.step(byCount: 3)
        main.step(byCount: -1)
        bench.driver.settle()
        #expect(main.currentTime() == .ms(1080))
        reinsert()
        main.step(byCount: 3)
        bench.seek("other", to: .ms(400))
        bench.driver.settle()
        #expect(main.currentTime() == .ms(400))
        #expect(bench.takeLines(of: "other") == ["other true"])
        reinsert()
        main.step(byCount: 5)
        bench.player.play()
        bench.driver.run(seconds: 0.2)
        #expect(bench.videoSink.numbers.suffix(6) == ArraySlice(15...20))
        #expect(bench.stateLine == "1.0 playing")
    }

    @Test("A step has no effect before the item was first ready, or while it waits in a queue")
    func withoutEffect() {
        let bench = PlayerTestBench(queue: 2, of: .clip())
        bench.items[0].step(byCount: 3)
        bench.items[1].step(byCount: 3)
        bench.driver.run(seconds: 1)
        #expect(bench.videoSink.numbers == [0])
        bench.items[1].step(byCount: 3)
        bench.makeItem().step(byCount: 1)
        bench.driver.run(seconds: 1)
        #expect(bench.videoSink.numbers == [0])
    }
}
