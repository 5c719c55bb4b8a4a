import Playhead
import PlayheadTesting
import Testing

/// An end time that is moved or cleared after it was reached, and on the way there.
@Suite("Contract: end times that move")
struct EndTimeTests {
    /// Stands at its forward end, 1 s of 2.
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
        "Moved or cleared after the end: play() goes on from there, each picture once",
        arguments: [MediaTime.invalid, .ms(1480), .ms(2000), .ms(9000), .positiveInfinity],
        [0, 1, 2]
    )
    func goesOn(end: MediaTime, order: Int) {
        for seed in [nil, 1, 2, 3] as [UInt64?] {
            let bench = ended(seed: seed)
            #expect(bench.sight == "0.0 paused")
            // Set and played at once; set, and played later; played as soon as something has happened.
            bench.currentItem.forwardPlaybackEndTime = end
            if order == 1 { bench.driver.run(seconds: 1) }
            if order == 2 { for _ in 0..<3 { bench.driver.step() } }
            #expect(bench.player.currentTime() == .ms(1000))
            #expect(bench.videoSink.numbers == Array(0..<25), "nothing moves until it is played")
            let start = bench.driver.now
            bench.player.play()
            bench.driver.run(atMost: 60)
            let last = end.isNumeric ? min(end, .ms(2000)) : .ms(2000)
            #expect(bench.videoSink.numbers == Array(0..<Int(last.seconds * 25 + 0.5)))
            #expect(bench.player.currentTime() == last)
            #expect(bench.driver.now == start.advanced(by: (last - .ms(1000)).nanoseconds ?? 0))
            #expect(bench.takeLines(of: "end", "jumped") == ["end"])
            #expect(bench.sight == "0.0 paused")
        }
    }

    @Test("The sound goes on too, sample by sample")
    func sound() {
        let bench = ended()
        bench.currentItem.forwardPlaybackEndTime = .invalid
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.audioSink.samples == (0..<96_000).map { Int16(truncatingIfNeeded: $0) })
    }

    @Test(
        "Moved to where it is, or to before it: play() tells the end again",
        arguments: [1000, 500] as [Int64]
    )
    func stays(end: Int64) {
        let bench = ended()
        bench.currentItem.forwardPlaybackEndTime = .ms(end)
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(bench.videoSink.numbers == Array(0..<25))
        #expect(bench.sight == "0.0 paused")
    }

    @Test("An end of the data is an end: clearing or moving an end time behind it changes nothing")
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
            #expect(bench.sight == "0.0 paused")
        }
    }

    @Test("Under none, time has gone on past the end: pictures go on from where time is")
    func none() {
        let bench = ended(.none, at: 1.2)
        #expect(bench.sight == "1.0 playing")
        bench.currentItem.forwardPlaybackEndTime = .invalid
        bench.driver.run(until: .ms(1900))
        #expect(bench.sight == "1.0 playing")
        #expect(bench.videoSink.numbers == Array(0..<25) + Array(30..<48))
        bench.driver.run(until: .ms(2500))
        #expect(bench.takeLines(of: "end") == ["end"])
    }

    @Test(
        "A step goes on where the end was; a seek behind it lands where it should",
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

    @Test("A choice of tracks is told of, an end is not")
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
        "Backward: moved or cleared after the end it goes on, each picture once",
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
        #expect(bench.sight == "0.0 paused")
    }

    @Test("Moved while playing, nearer and farther, and cleared: the last word counts")
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
        "In a loop: later laps end where it is now, and once the loop is over it goes on",
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
        let lap = Array(0..<15)
        #expect(bench.videoSink.numbers == lap + lap + Array(0..<Int(last.seconds * 25)))
        item.forwardPlaybackEndTime = .invalid
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.player.currentTime() == .ms(2000))
    }

    @Test("The rate comes with the end of a loop that was switched off, after the end was moved")
    func endedLoop() {
        let bench = ended()
        bench.player.repeatMode = .loop
        bench.currentItem.forwardPlaybackEndTime = .invalid
        bench.player.play()
        bench.driver.run(until: .ms(1500 + 1000 + 1000))
        // From where it stood to the end, then laps of two seconds.
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0...25))
    }

    @Test("Set before the item is open, and again while it opens, the last word counts")
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
