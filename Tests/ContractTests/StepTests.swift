import Playhead
import PlayheadTesting
import Testing

/// Tests that a step of many frames shows only the last of them.
@Suite("Contract: steps")
struct StepTests {
    private static let long = ScriptedMedia(video: .init(frameCount: 100, keyInterval: 12, bFrames: 2))

    /// Returns a player that is paused at a frame.
    private func paused(
        at frame: Int64,
        in media: ScriptedMedia = StepTests.long,
        seed: UInt64? = nil
    ) -> PlayerTestBench<Player> {
        let bench = PlayerTestBench(.silentClip(), seed: seed)
        bench.load(media)
        if frame > 0 {
            bench.seek("sought", to: .ms(frame * 40))
            bench.driver.settle()
        }
        #expect(bench.videoSink.numbers.last == Int(frame))
        return bench
    }

    @Test(
        "A step forward or back shows only its target frame, and is limited to the ends of the item",
        arguments: [0, 1, 50, 98, 99] as [Int64],
        [1, -1, 5, -5, 30, -30, 60, -60, 1000, -1000, .max, .min]
    )
    func many(from: Int64, count: Int) {
        for seed in [nil, 7] as [UInt64?] {
            let bench = paused(at: from, seed: seed)
            let output = VideoOutput()
            bench.currentItem.add(output)
            let pulled = PlayerVideoOutput()
            bench.player.videoOutput = pulled
            let shownBefore = bench.videoSink.numbers.count
            bench.currentItem.step(byCount: count)
            bench.driver.run(seconds: 1)
            let target = max(0, min(99, Int(from) &+ max(-1000, min(1000, count))))
            let shown = Array(bench.videoSink.numbers.dropFirst(shownBefore))
            #expect(shown == (target == Int(from) ? [] : [target]))
            #expect(bench.player.currentTime() == .ms(Int64(target) * 40))
            #expect(bench.stateLine == "0.0 paused")
            guard target != Int(from) else { continue }
            #expect(output.copyFrame(forItemTime: .ms(9000))?.displayTime == .ms(Int64(target) * 40))
            // A step forward also has the frame that was visible at first, and none in between.
            let before = output.copyFrame(forItemTime: .ms(Int64(target) * 40 - 1))?.displayTime
            #expect(before == (count > 0 ? .ms(from * 40) : nil))
            #expect(pulled.newest?.presentationTime == .ms(Int64(target) * 40))
        }
    }

    @Test("The time is reported once for a step, at its target")
    func times() {
        let bench = paused(at: 0)
        let times = Locked([MediaTime]())
        let token = bench.player.addPeriodicTimeObserver(forInterval: .ms(100)) { time in
            times.withLock { $0.append(time) }
        }
        bench.driver.settle()
        times.withLock { $0 = [] }
        bench.currentItem.step(byCount: 30)
        while bench.driver.step() {
            let time = bench.player.currentTime()
            #expect(time == .zero || time == .ms(1200))
        }
        #expect(times.withLock { $0 } == [.ms(1200)])
        token.invalidate()
    }

    @Test("A step during playback pauses, and counts from the visible frame", arguments: [10, -10])
    func fromPlaying(count: Int) {
        let bench = paused(at: 0)
        bench.player.play()
        bench.driver.run(until: .ms(1990))
        #expect(bench.videoSink.numbers.last == 49)
        bench.currentItem.step(byCount: count)
        bench.driver.run(seconds: 1)
        #expect(bench.videoSink.numbers.suffix(2) == [49, 49 + count])
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test(
        "Steps add up in both directions, at any speed",
        arguments: [[5, -3], [-5, 3], [30, 1], [-30, -1], [20, -40, 10], [1, 1, 1]],
        [true, false]
    )
    func several(counts: [Int], settles: Bool) {
        let bench = paused(at: 50)
        for count in counts {
            bench.currentItem.step(byCount: count)
            if settles { bench.driver.settle() }
        }
        bench.driver.run(seconds: 1)
        let target = 50 + counts.reduce(0, +)
        #expect(bench.videoSink.numbers.last == target)
        #expect(bench.player.currentTime() == .ms(Int64(target) * 40))
    }

    @Test("play() right after a step continues from its target", arguments: [30, -30])
    func thenPlayed(count: Int) {
        let bench = paused(at: 50)
        bench.currentItem.step(byCount: count)
        bench.player.play()
        let before = bench.videoSink.numbers.count
        bench.driver.run(seconds: 0.4)
        #expect(bench.stateLine == "1.0 playing")
        let target = 50 + count
        #expect(Array(bench.videoSink.numbers.dropFirst(before)) == Array(target...(target + 10)))
    }

    @Test("A seek right after a step takes precedence")
    func thenSought() {
        let bench = paused(at: 50)
        bench.currentItem.step(byCount: 30)
        bench.seek("other", to: .ms(400))
        bench.driver.run(seconds: 1)
        #expect(bench.videoSink.numbers.last == 10)
        #expect(bench.player.currentTime() == .ms(400))
        bench.currentItem.step(byCount: 1)
        bench.driver.settle()
        #expect(bench.videoSink.numbers.last == 11)
    }

    @Test("A step during a seek counts from the target of the seek", arguments: [3, -3, 30])
    func afterSeek(count: Int) {
        let bench = paused(at: 0)
        bench.seek("other", to: .ms(2000))
        bench.currentItem.step(byCount: count)
        bench.driver.run(seconds: 1)
        #expect(bench.videoSink.numbers.last == 50 + count)
        #expect(bench.takeLines(of: "other") == ["other true"])
    }

    @Test("A step waits for late data, and shows only its last frame")
    func late() {
        let bench = paused(at: 0, in: .silentClip([.stall(atPacket: 20, until: 5)]))
        bench.currentItem.step(byCount: 30)
        bench.driver.run(seconds: 3)
        #expect(bench.videoSink.numbers == [0])
        bench.driver.run(seconds: 3)
        #expect(bench.videoSink.numbers == [0, 30])
    }

    @Test("Audio continues at the target of a step", arguments: [1, 30, 120, -30])
    func audio(count: Int) {
        let bench = PlayerTestBench(.clip())
        bench.load(ScriptedMedia(video: .init(frameCount: 250), audio: .init(sampleCount: 480_000)))
        bench.seek("sought", to: .ms(4000))
        bench.driver.settle()
        bench.currentItem.step(byCount: count)
        bench.driver.run(seconds: 1)
        #expect(bench.videoSink.numbers == [0, 100, 100 + count])
        let before = bench.audioSink.samples.count
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        let first = (100 + count) * 1920
        let heard = Array(bench.audioSink.samples.dropFirst(before))
        #expect(heard.first == Int16(truncatingIfNeeded: first))
        #expect(heard.count >= 23_000)
        #expect(heard == (first..<first + heard.count).map { Int16(truncatingIfNeeded: $0) })
    }

    @Test("A step past the end changes nothing, and a step away from the end allows a second end")
    func pastTheEnd() {
        let bench = paused(at: 0)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end") == ["end"])
        bench.currentItem.step(byCount: 1)
        bench.driver.settle()
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.videoSink.numbers == Array(0..<100))
        bench.currentItem.step(byCount: -2)
        bench.driver.settle()
        #expect(bench.videoSink.numbers.last == 97)
        bench.currentItem.step(byCount: 1000)
        bench.driver.settle()
        #expect(bench.takeLines(of: "end").isEmpty)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(bench.videoSink.numbers.suffix(3) == [99, 97, 99])
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test("In a loop a step is limited to the pass")
    func loop() {
        let bench = paused(at: 0)
        bench.player.repeatMode = .loop
        bench.driver.settle()
        bench.currentItem.step(byCount: 1000)
        bench.driver.run(seconds: 1)
        #expect(bench.videoSink.numbers.last == 99)
    }
}
