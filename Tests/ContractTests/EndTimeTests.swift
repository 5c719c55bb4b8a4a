import Playhead
import PlayheadTesting
import Testing

/// Tests end times that are moved or cleared after they were reached, and on the way there.
@Suite("Contract: end times that change")
struct EndTimeTests {
    /// Returns a player that is paused at its forward end time of 1 s, in an item of 2 s.
    private func ended(
        _ action: Player.ActionAtItemEnd = .pause,
        at seconds: Double = 1.5,
        seed: UInt64? = nil
    ) -> PlayerTestBench<Player> {
        let bench = PlayerTestBench(.clip(), seed: seed)
        bench.player.actionAtItemEnd = action
        let item = bench.makeItem()
        item.forwardPlaybackEndTime = .ms(1000)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: .ms(Int64(seconds * 1000)))
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(bench.videoSink.numbers == Array(0..<25))
        return bench
    }

    @Test(
        "After the end time is moved or cleared, play() continues from there and shows each frame once",
        arguments: [MediaTime.invalid, .ms(1480), .ms(2000), .ms(9000), .positiveInfinity],
        [0, 1, 2]
    )
    func continues(end: MediaTime, order: Int) {
        for seed in [nil, 1, 2, 3] as [UInt64?] {
            let bench = ended(seed: seed)
            #expect(bench.stateLine == "0.0 paused")
            // The end time is set and played at once, set and played later, or played after a few steps of the engine.
            bench.currentItem.forwardPlaybackEndTime = end
            if order == 1 { bench.driver.run(seconds: 1) }
            if order == 2 { for _ in 0..<3 { bench.driver.step() } }
            #expect(bench.player.currentTime() == .ms(1000))
            #expect(bench.videoSink.numbers == Array(0..<25), "no frame is shown before play()")
            let start = bench.driver.now
            bench.player.play()
            bench.driver.run(atMost: 60)
            let last = end.isNumeric ? min(end, .ms(2000)) : .ms(2000)
            #expect(bench.videoSink.numbers == Array(0..<Int(last.seconds * 25 + 0.5)))
            #expect(bench.player.currentTime() == last)
            #expect(bench.driver.now == start.advanced(by: (last - .ms(1000)).nanoseconds ?? 0))
            #expect(bench.takeLines(of: "end", "jumped") == ["end"])
            #expect(bench.stateLine == "0.0 paused")
        }
    }

    @Test("The audio continues without a missing sample")
    func audio() {
        let bench = ended()
        bench.currentItem.forwardPlaybackEndTime = .invalid
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.audioSink.samples == (0..<96_000).map { Int16(truncatingIfNeeded: $0) })
    }

    @Test(
        "With the end time set to the same or an earlier time, play() reports the end again",
        arguments: [1000, 500] as [Int64]
    )
    func stays(end: Int64) {
        let bench = ended()
        bench.currentItem.forwardPlaybackEndTime = .ms(end)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(bench.videoSink.numbers == Array(0..<25))
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test("At the end of the data, clearing or moving a later end time changes nothing")
    func dataEnd() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        item.forwardPlaybackEndTime = .ms(5000)
        bench.player.play()
        bench.driver.run(atMost: 60)
        _ = bench.takeLines()
        for end in [MediaTime.invalid, .ms(7000)] {
            item.forwardPlaybackEndTime = end
            bench.player.play()
            bench.driver.run(atMost: 60)
            #expect(bench.takeLines(of: "end", "rate") == ["end"])
            #expect(bench.stateLine == "0.0 paused")
        }
    }

    @Test("Under none, time has run past the end, and frames continue from the current time")
    func none() {
        let bench = ended(.none, at: 1.2)
        #expect(bench.stateLine == "1.0 playing")
        bench.currentItem.forwardPlaybackEndTime = .invalid
        bench.driver.run(until: .ms(1900))
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.videoSink.numbers == Array(0..<25) + Array(30..<48))
        bench.driver.run(until: .ms(2500))
        #expect(bench.takeLines(of: "end") == ["end"])
    }

    @Test(
        "A step continues from the end time, and a seek past it arrives at its target",
        arguments: [true, false]
    )
    func stepsAndSeeks(settles: Bool) {
        let stepping = ended()
        stepping.currentItem.forwardPlaybackEndTime = .invalid
        if settles { stepping.driver.settle() }
        stepping.currentItem.step(byCount: 1)
        stepping.driver.settle()
        #expect(stepping.videoSink.numbers.last == 25)

        let seeking = ended()
        seeking.currentItem.forwardPlaybackEndTime = .invalid
        if settles { seeking.driver.settle() }
        seeking.seek("sought", to: .ms(1600))
        seeking.player.play()
        seeking.driver.run(atMost: 60)
        #expect(seeking.videoSink.numbers == Array(0..<25) + Array(40..<50))
        #expect(seeking.takeLines(of: "end", "sought") == ["sought true", "end"])
    }

    @Test("A change of the end time is not reported as a change of the media selection")
    func noSelection() {
        let bench = ended()
        bench.currentItem.forwardPlaybackEndTime = .invalid
        bench.seek("sought", to: .ms(1600))
        bench.player.play()
        bench.driver.run(seconds: 0.1)
        bench.currentItem.forwardPlaybackEndTime = .ms(1900)
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "mediaSelection").isEmpty)
        #expect(bench.player.currentTime() == .ms(1900))
    }

    @Test(
        "In reverse, playback continues after its end time is moved or cleared, and shows each frame once",
        arguments: [MediaTime.invalid, .zero, .ms(480)],
        [true, false]
    )
    func backward(end: MediaTime, settles: Bool) {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        item.reversePlaybackEndTime = .ms(1000)
        bench.load(item)
        bench.seek("sought", to: .ms(2000))
        bench.player.rate = -1
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end") == ["end"])
        let shown = bench.videoSink.numbers
        #expect(bench.player.currentTime() == .ms(1000))
        item.reversePlaybackEndTime = end
        if settles { bench.driver.settle() }
        #expect(bench.player.currentTime() == .ms(1000))
        bench.player.rate = -1
        bench.driver.run(atMost: 60)
        let last = end.isNumeric ? end : .zero
        #expect(bench.player.currentTime() == last)
        let first = shown.last ?? 0
        #expect(
            Array(bench.videoSink.numbers.dropFirst(shown.count))
                == (Int(last.seconds * 25)..<first).reversed()
        )
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test("Of several end times set during playback, nearer, farther or cleared, the last one applies")
    func whilePlaying() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        bench.player.play()
        for (time, end) in [(200, .ms(600)), (300, .ms(1600)), (400, .invalid), (500, .ms(1200))]
            as [(Int64, MediaTime)]
        {
            bench.driver.run(until: .ms(time))
            item.forwardPlaybackEndTime = end
        }
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<30))
        #expect(bench.player.currentTime() == .ms(1200))
        #expect(bench.takeLines(of: "end") == ["end"])
    }

    @Test(
        "In a loop, later passes end at the new end time, and after the loop playback continues",
        arguments: [.invalid, .ms(1400)] as [MediaTime]
    )
    func loop(end: MediaTime) {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        item.forwardPlaybackEndTime = .ms(600)
        bench.player.repeatMode = .loop
        bench.load(item)
        bench.player.play()
        bench.driver.run(until: .ms(1400))
        item.forwardPlaybackEndTime = end
        bench.player.repeatMode = .once
        bench.driver.run(atMost: 60)
        let last = end.isNumeric ? end : .ms(2000)
        #expect(bench.player.currentTime() == last)
        let pass = Array(0..<15)
        #expect(bench.videoSink.numbers == pass + pass + Array(0..<Int(last.seconds * 25)))
        item.forwardPlaybackEndTime = .invalid
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.player.currentTime() == .ms(2000))
    }

    @Test("In a loop, an end time that is set before the current time begins the next pass")
    func loopPastEnd() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        bench.player.repeatMode = .loop
        bench.load(item)
        bench.player.play()
        bench.driver.run(until: .ms(1500))
        item.forwardPlaybackEndTime = .ms(1000)
        bench.driver.run(until: .ms(5500))
        #expect(bench.takeLines(of: "end").count >= 3)
        #expect(bench.videoSink.numbers.suffix(50).allSatisfy { $0 < 25 })
    }

    @Test(
        "In a loop whose end time is cleared at the end, play() continues to the end of the data and loops"
    )
    func endedLoop() {
        let bench = ended()
        bench.player.repeatMode = .loop
        bench.currentItem.forwardPlaybackEndTime = .invalid
        bench.player.play()
        bench.driver.run(until: .ms(1500 + 1000 + 1000))
        // Playback runs from where it was paused to the end, followed by passes of two seconds.
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0...25))
    }

    @Test("Of end times set before the item is open and while it opens, the last one applies")
    func whileOpening() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        item.forwardPlaybackEndTime = .ms(400)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.step()
        item.forwardPlaybackEndTime = .ms(1200)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<30))
        #expect(bench.takeLines(of: "end", "mediaSelection") == ["end"])
    }
}
