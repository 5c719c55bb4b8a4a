import Playhead
import PlayheadTesting
import Testing

// Rule: seek-completion
@Suite("Contract: seeks")
struct SeekContractTests {
    @Test(
        "The latest seek wins: earlier ones are answered false at once, in order, and its target is the current time"
    )
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
        // The seek in progress was shown for scrubbing feedback, and the one that waited was not.
        #expect(bench.videoSink.numbers == [0, 7, 37])
        #expect(bench.player.currentTime() == .ms(1500))
    }

    @Test("A seek to a time before the start leads to the start, in every state of the item")
    func beforeStart() {
        let bench = PlayerTestBench(queue: 2, of: .silentClip())
        for item in bench.items + [bench.makeItem()] {
            item.seek(to: .ms(-5000), toleranceBefore: .zero, toleranceAfter: .zero)
            #expect(item.currentTime() == .zero && item.timebase.time == .zero)
        }
        bench.driver.settle()
        #expect(bench.player.currentTime() == .zero)
    }

    @Test("Of many rapid seeks each is answered once, the last one wins, and frames are shown meanwhile")
    func storm() {
        let bench = PlayerTestBench(.silentClip(), seed: 42)
        bench.load()
        for number in 1...200 {
            bench.seek("seek \(number)", to: .ms(Int64(number * 9)))
            for _ in 0..<25 { bench.driver.step() }
        }
        bench.driver.run(seconds: 0)
        let answers = bench.takeLines(of: "seek ")
        #expect(answers.map { $0.split(separator: " ")[1] } == (1...200).map { "\($0)" })
        #expect(answers.last == "seek 200 true")
        #expect(bench.videoSink.numbers.last == 45)
        #expect(bench.videoSink.numbers.count > 10)
    }

    @Test("A seek is answered true after its frame has been delivered to the sinks, and not before")
    func answeredAfterTheFrame() {
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
        "Targets out of range are clamped, and the limits are the ends of the item",
        arguments: [
            (MediaTime.ms(-500), 0, 0), (.ms(9000), 2000, 49), (.positiveInfinity, 2000, 49),
            (.negativeInfinity, 0, 0),
        ]
    )
    func clamped(target: MediaTime, time: Int64, frame: Int) {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.seek("seek", to: .ms(1000))
        bench.driver.run(seconds: 0)
        _ = bench.takeLines()
        bench.seek("seek", to: target)
        #expect(bench.player.currentTime() == .ms(time))
        bench.driver.run(seconds: 0)
        #expect(bench.takeLines(of: "seek ") == ["seek true"])
        #expect(bench.player.currentTime() == .ms(time))
        #expect(bench.videoSink.numbers.last == frame)
    }

    @Test("The fast seek to the start begins like initial playback, with the audio before the first frame")
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

    @Test(
        "A seek to an invalid time is answered false, moves nothing, and leaves a seek in progress unchanged"
    )
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

    @Test("Invalid tolerances are treated as zero")
    func oddTolerances() {
        for tolerance in [MediaTime.invalid, .indefinite, .ms(-100)] {
            let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
            bench.load()
            bench.seek("seek", to: .ms(1390), tolerance: tolerance)
            #expect(bench.takeLines(of: "seek ") == ["seek true"])
            #expect(bench.videoSink.numbers.last == 34, "\(tolerance)")
        }
    }

    @Test("A seek without an item is answered false, and moves nothing")
    func withoutItem() async {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.seek("seek", to: .ms(500))
        #expect(bench.takeLines(of: "seek ") == ["seek false"])
        #expect(bench.player.currentTime() == .zero)
        let finished = await bench.player.seek(to: .ms(500), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(!finished)
    }

    @Test(
        "A seek before the item is open sets the start: no other frame is shown, and the latest one applies"
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

    @Test(
        "A seek that is cancelled before the item is open is answered false, and the item starts at its beginning"
    )
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

    @Test("cancelPendingSeeks answers false once, and a seek in progress still moves to its target")
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

    @Test("Replacing or removing the item, a failure and the release of the player answer a seek false")
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
        "A seek keeps the rate: a paused player shows the new frame, and a playing one continues from there"
    )
    func rateIsUntouched() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        bench.seek("seek", to: .ms(800))
        bench.driver.run(seconds: 5)
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.videoSink.numbers == [0, 20])
        bench.player.rate = 0.5
        bench.seek("seek", to: .ms(1600))
        #expect(bench.player.rate == 0.5)
        bench.driver.run(seconds: 0.4)
        #expect(bench.stateLine == "0.5 playing")
        #expect(bench.player.currentTime() == .ms(1800))
        #expect(bench.videoSink.numbers == [0, 20] + Array(40...45))
        #expect(bench.takeLines(of: "rate") == ["rate 0.0 -> 0.5 setRateCalled"])
    }

    @Test(
        "With infinite tolerances a seek shows the key frame at or before its target, otherwise one within them",
        arguments: [0, 40, 200, 900]
    )
    func windows(before: Int64) {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        bench.seek("quick", to: .ms(1390), tolerance: .positiveInfinity)
        #expect(bench.videoSink.numbers.last == 30)
        #expect(bench.player.currentTime() == .ms(1200))
        bench.seek("window", to: .ms(1390), tolerance: .ms(before))
        let time = bench.player.currentTime()
        #expect(time >= .ms(1390 - before) && time <= .ms(1390))
    }

    @Test("Where no frame from the key frame on can be decoded, the last frame before it is shown")
    func undecodableTail() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load(.silentClip((40..<50).map { .undecodable(frame: $0) }))
        bench.seek("seek", to: .ms(1900))
        #expect(bench.takeLines(of: "seek ") == ["seek true"])
        #expect(bench.videoSink.numbers == [0, 39])
    }

    @Test("A seek causes one jump, which is reported with the frame's time and before the completion")
    func oneJump() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        bench.load()
        _ = bench.takeLines()
        bench.seek("seek", to: .ms(1000))
        #expect(bench.takeLines(of: "jumped", "seek ") == ["jumped 1.0", "seek true"])
    }
}
