import Playhead
import PlayheadTesting
import Testing

// Rule: seek-completion
@Suite("Contract: seeks")
struct SeekClauseTests {
    @Test("The latest wins: the ones before are answered false at once, in order, and it is where we are")
    func latestWins() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        _ = bench.takeLines()
        for (name, target) in [("a", 300), ("b", 900), ("c", 1500)] {
            bench.seek(name, to: .ms(Int64(target)))
            #expect(bench.player.currentTime() == .ms(Int64(target)))
        }
        bench.driver.run(seconds: 0)
        #expect(
            bench.takeLines(of: "a ", "b ", "c ", "jumped") == [
                "a false", "b false", "jumped 0.3", "jumped 1.5", "c true",
            ]
        )
        // The one in flight was shown, so that scrubbing shows something; the one that waited was not.
        #expect(bench.videoSink.numbers == [0, 7, 37])
        #expect(bench.player.currentTime() == .ms(1500))
    }

    @Test("Answered true when the picture has been handed to the sinks, and not before")
    func answeredAfterThePicture() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        let shown = Locked([Int]())
        let sink = bench.videoSink
        bench.player.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero) { finished in
            shown.withLock { $0 = finished ? sink.numbers : [] }
        }
        #expect(shown.withLock { $0 } == [0, 25])
    }

    @Test(
        "Out of range is clamped into it; the far ends are the ends",
        arguments: [
            (MediaTime.ms(-500), 0, 0), (.ms(9000), 2000, 49), (.positiveInfinity, 2000, 49),
            (.negativeInfinity, 0, 0),
        ]
    )
    func clamped(target: MediaTime, lands: Int64, picture: Int) {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.seek("seek", to: .ms(1000))
        bench.driver.run(seconds: 0)
        _ = bench.takeLines()
        bench.seek("seek", to: target)
        #expect(bench.player.currentTime() == .ms(lands))
        bench.driver.run(seconds: 0)
        #expect(bench.takeLines(of: "seek ") == ["seek true"])
        #expect(bench.player.currentTime() == .ms(lands))
        #expect(bench.videoSink.numbers.last == picture)
    }

    @Test("The quick way to the start begins as playing did, with the sound before the first picture")
    func quickToTheStart() {
        var media = ScriptedMedia.clip()
        media.video?.start = MediaTime(value: 1024, timescale: 48_000)
        let bench = PlayerTestBench(media)
        bench.load()
        for played in [0.0, 0.5, 3] {
            bench.player.play()
            bench.driver.run(seconds: played)
            bench.player.pause()
            bench.driver.run(seconds: 0)
            bench.seek("seek", to: .ms(1000))
            bench.driver.run(seconds: 0)
            let heard = bench.audioSink.samples.count
            bench.player.seek(to: .zero)
            bench.driver.run(seconds: 0)
            #expect(bench.player.currentTime() == .zero)
            #expect(bench.videoSink.numbers.last == 0)
            bench.player.play()
            bench.driver.run(seconds: 0.5)
            bench.player.pause()
            bench.driver.run(seconds: 0)
            let samples = bench.audioSink.samples[heard...]
            #expect(samples.prefix(2048) == ArraySlice((0..<2048).map { Int16($0) }))
        }
    }

    @Test("No time at all is answered false, moves nothing, and leaves a seek under way alone")
    func invalid() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.seek("good", to: .ms(800))
        bench.seek("bad", to: .invalid)
        bench.seek("bad", to: .indefinite)
        #expect(bench.player.currentTime() == .ms(800))
        bench.driver.run(seconds: 0)
        #expect(bench.takeLines(of: "good", "bad") == ["bad false", "bad false", "good true"])
        #expect(bench.videoSink.numbers == [0, 20])
    }

    @Test("Tolerances that are no times count as none")
    func oddTolerances() {
        for tolerance in [MediaTime.invalid, .indefinite, .ms(-100)] {
            let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
            bench.load()
            bench.seek("seek", to: .ms(1390), tolerance: tolerance)
            #expect(bench.takeLines(of: "seek ") == ["seek true"])
            #expect(bench.videoSink.numbers.last == 34, "\(tolerance)")
        }
    }

    @Test("Without an item it is answered false, and moves nothing")
    func withoutItem() async {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.seek("seek", to: .ms(500))
        #expect(bench.takeLines(of: "seek ") == ["seek false"])
        #expect(bench.player.currentTime() == .zero)
        let finished = await bench.player.seek(to: .ms(500), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(!finished)
    }

    @Test(
        "Before the item is open it is the start position: no other picture is shown, the newest one counts"
    )
    func beforeReady() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        item.seek(to: .ms(400), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(item.currentTime() == .ms(400))
        bench.player.replaceCurrentItem(with: item)
        bench.seek("first", to: .ms(600))
        bench.seek("second", to: .ms(1200))
        #expect(item.status == .unknown)
        #expect(bench.player.currentTime() == .ms(1200))
        bench.driver.run(seconds: 0)
        #expect(bench.videoSink.numbers == [30])
        #expect(bench.takeLines(of: "first", "second") == ["first false", "second true"])
    }

    @Test("Before the item is open and cancelled: answered false, and it starts at its beginning")
    func cancelledBeforeReady() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        bench.player.replaceCurrentItem(with: item)
        bench.seek("seek", to: .ms(600))
        item.cancelPendingSeeks()
        bench.driver.run(seconds: 0)
        #expect(bench.takeLines(of: "seek ") == ["seek false"])
        #expect(bench.videoSink.numbers == [0])
        #expect(bench.player.currentTime() == .zero)
    }

    @Test("cancelPendingSeeks answers false, once; there is no other place to be, so it lands all the same")
    func cancelled() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        bench.seek("one", to: .ms(600))
        item.cancelPendingSeeks()
        item.cancelPendingSeeks()
        bench.driver.run(seconds: 0)
        #expect(bench.takeLines(of: "one") == ["one false"])
        #expect(bench.player.currentTime() == .ms(600))
        bench.seek("two", to: .ms(200))
        bench.driver.run(seconds: 0)
        #expect(bench.takeLines(of: "two") == ["two true"])
    }

    @Test("Another item, no item, a failure, the end of the player: each answers false")
    func interrupted() {
        let changes: [(PlayerTestBench<Player>) -> Void] = [
            { $0.player.replaceCurrentItem(with: $0.makeItem()) },
            { $0.player.replaceCurrentItem(with: nil) },
            { $0.player.shutdown {} },
        ]
        for change in changes {
            let bench = PlayerTestBench(.silentClip())
            bench.load()
            bench.seek("seek", to: .ms(600))
            bench.driver.step()
            change(bench)
            bench.driver.run(seconds: 1)
            #expect(bench.takeLines(of: "seek ") == ["seek false"])
        }
        let bench = PlayerTestBench(.silentClip())
        bench.player.replaceCurrentItem(with: bench.makeItem(.silentClip([.openFails(.io)])))
        bench.seek("seek", to: .ms(600))
        bench.driver.run(seconds: 1)
        #expect(bench.takeLines(of: "seek ") == ["seek false"])
    }

    @Test(
        "The rate is left alone: paused shows the new picture and stays paused, playing plays on from there"
    )
    func rateIsUntouched() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        bench.seek("seek", to: .ms(800))
        bench.driver.run(seconds: 5)
        #expect(bench.sight == "0.0 paused")
        #expect(bench.videoSink.numbers == [0, 20])
        bench.player.rate = 0.5
        bench.seek("seek", to: .ms(1600))
        #expect(bench.player.rate == 0.5)
        bench.driver.run(seconds: 0.4)
        #expect(bench.sight == "0.5 playing")
        #expect(bench.player.currentTime() == .ms(1800))
        #expect(bench.takeLines(of: "rate") == ["rate 0.0 -> 0.5 setRateCalled"])
    }

    @Test(
        "Both tolerances infinite: the key frame at or before; a window: inside it",
        arguments: [0, 40, 200, 900]
    )
    func windows(before: Int64) {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        bench.seek("quick", to: .ms(1390), tolerance: .positiveInfinity)
        #expect(bench.videoSink.numbers.last == 30)
        #expect(bench.player.currentTime() == .ms(1200))
        bench.seek("window", to: .ms(1390), tolerance: .ms(before))
        let landed = bench.player.currentTime()
        #expect(landed >= .ms(1390 - before) && landed <= .ms(1390 + before))
    }

    @Test("Where nothing can be decoded from the key frame on, the last picture before it is the one due")
    func undecodableTail() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load(.silentClip((40..<50).map { .undecodable(frame: $0) }))
        bench.seek("seek", to: .ms(1900))
        #expect(bench.takeLines(of: "seek ") == ["seek true"])
        #expect(bench.videoSink.numbers == [0, 39])
    }

    @Test("One seek, one jump: the notice comes with the picture's place and before the answer")
    func oneJump() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        _ = bench.takeLines()
        bench.seek("seek", to: .ms(1000))
        #expect(bench.takeLines(of: "jumped", "seek ") == ["jumped 1.0", "seek true"])
    }
}
