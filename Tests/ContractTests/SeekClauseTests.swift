import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: seeks")
struct SeekClauseTests {
    @Test("The latest wins: the ones before are answered false at once, in order, and it is where we are")
    func latestWins() {
        let scene = Scene()
        scene.load()
        _ = scene.told()
        for (name, target) in [("a", 300), ("b", 900), ("c", 1500)] {
            scene.seek(name, to: .ms(Int64(target)))
            #expect(scene.player.currentTime() == .ms(Int64(target)))
        }
        scene.driver.run(seconds: 0)
        #expect(
            scene.told(of: "a ", "b ", "c ", "jumped") == [
                "a false", "b false", "jumped 0.3", "jumped 1.5", "c true",
            ]
        )
        #expect(scene.sink.numbers.last == 37)
        #expect(scene.player.currentTime() == .ms(1500))
    }

    @Test("Answered true when the picture has been handed to the sinks, and not before")
    func answeredAfterThePicture() {
        let scene = Scene()
        scene.load()
        let shown = Locked([Int]())
        let sink = scene.sink
        scene.player.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero) { finished in
            shown.withLock { $0 = finished ? sink.numbers : [] }
        }
        scene.driver.run(seconds: 0)
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
        let scene = Scene()
        scene.load()
        scene.seek("seek", to: .ms(1000))
        scene.driver.run(seconds: 0)
        _ = scene.told()
        scene.seek("seek", to: target)
        #expect(scene.player.currentTime() == .ms(lands))
        scene.driver.run(seconds: 0)
        #expect(scene.told(of: "seek ") == ["seek true"])
        #expect(scene.player.currentTime() == .ms(lands))
        #expect(scene.sink.numbers.last == picture)
    }

    @Test("No time at all is answered false, moves nothing, and leaves a seek under way alone")
    func invalid() {
        let scene = Scene()
        scene.load()
        scene.seek("good", to: .ms(800))
        scene.seek("bad", to: .invalid)
        scene.seek("bad", to: .indefinite)
        #expect(scene.player.currentTime() == .ms(800))
        scene.driver.run(seconds: 0)
        #expect(scene.told(of: "good", "bad") == ["bad false", "bad false", "good true"])
        #expect(scene.sink.numbers == [0, 20])
    }

    @Test("Tolerances that are no times count as none")
    func oddTolerances() {
        for tolerance in [MediaTime.invalid, .indefinite, .ms(-100)] {
            let scene = Scene()
            scene.load()
            scene.seek("seek", to: .ms(1390), tolerance: tolerance)
            scene.driver.run(seconds: 0)
            #expect(scene.told(of: "seek ") == ["seek true"])
            #expect(scene.sink.numbers.last == 34, "\(tolerance)")
        }
    }

    @Test("Without an item it is answered false, and moves nothing")
    func withoutItem() async {
        let scene = Scene()
        scene.seek("seek", to: .ms(500))
        scene.driver.run(seconds: 0)
        #expect(scene.told(of: "seek ") == ["seek false"])
        #expect(scene.player.currentTime() == .zero)
        let finished = await scene.player.seek(to: .ms(500), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(!finished)
    }

    @Test(
        "Before the item is open it is the start position: no other picture is shown, the newest one counts"
    )
    func beforeReady() {
        let scene = Scene()
        let item = scene.makeItem()
        item.seek(to: .ms(400), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(item.currentTime() == .ms(400))
        scene.player.replaceCurrentItem(with: item)
        scene.seek("first", to: .ms(600))
        scene.seek("second", to: .ms(1200))
        #expect(item.status == .unknown)
        #expect(scene.player.currentTime() == .ms(1200))
        scene.driver.run(seconds: 0)
        #expect(scene.sink.numbers == [30])
        #expect(scene.told(of: "first", "second") == ["first false", "second true"])
    }

    @Test("Before the item is open and cancelled: answered false, and it starts at its beginning")
    func cancelledBeforeReady() {
        let scene = Scene()
        let item = scene.makeItem()
        scene.player.replaceCurrentItem(with: item)
        scene.seek("seek", to: .ms(600))
        item.cancelPendingSeeks()
        scene.driver.run(seconds: 0)
        #expect(scene.told(of: "seek ") == ["seek false"])
        #expect(scene.sink.numbers == [0])
        #expect(scene.player.currentTime() == .zero)
    }

    @Test("cancelPendingSeeks answers false, once; there is no other place to be, so it lands all the same")
    func cancelled() {
        let scene = Scene()
        let item = scene.load()
        scene.seek("one", to: .ms(600))
        item.cancelPendingSeeks()
        item.cancelPendingSeeks()
        scene.driver.run(seconds: 0)
        #expect(scene.told(of: "one") == ["one false"])
        #expect(scene.player.currentTime() == .ms(600))
        scene.seek("two", to: .ms(200))
        scene.driver.run(seconds: 0)
        #expect(scene.told(of: "two") == ["two true"])
    }

    @Test("Another item, no item, a failure, the end of the player: each answers false")
    func interrupted() {
        let changes: [(Scene) -> Void] = [
            { $0.player.replaceCurrentItem(with: $0.makeItem()) },
            { $0.player.replaceCurrentItem(with: nil) },
            { $0.player.shutdown {} },
        ]
        for change in changes {
            let scene = Scene()
            scene.load()
            scene.seek("seek", to: .ms(600))
            scene.driver.step()
            change(scene)
            scene.driver.run(seconds: 1)
            #expect(scene.told(of: "seek ") == ["seek false"])
        }
        let scene = Scene()
        scene.player.replaceCurrentItem(with: scene.makeItem(Scene.clip([.openFails(.io)])))
        scene.seek("seek", to: .ms(600))
        scene.driver.run(seconds: 1)
        #expect(scene.told(of: "seek ") == ["seek false"])
    }

    @Test(
        "The rate is left alone: paused shows the new picture and stays paused, playing plays on from there"
    )
    func rateIsUntouched() {
        let scene = Scene()
        scene.load()
        scene.seek("seek", to: .ms(800))
        scene.driver.run(seconds: 5)
        #expect(scene.sight == "0.0 paused")
        #expect(scene.sink.numbers == [0, 20])
        scene.player.rate = 0.5
        scene.driver.run(seconds: 0)
        scene.seek("seek", to: .ms(1600))
        #expect(scene.player.rate == 0.5)
        scene.driver.run(seconds: 0.4)
        #expect(scene.sight == "0.5 playing")
        #expect(scene.player.currentTime() == .ms(1800))
        #expect(scene.told(of: "rate") == ["rate 0.0 -> 0.5 setRateCalled"])
    }

    @Test(
        "Both tolerances infinite: the key frame at or before; a window: inside it",
        arguments: [0, 40, 200, 900]
    )
    func windows(before: Int64) {
        let scene = Scene()
        scene.load()
        scene.seek("quick", to: .ms(1390), tolerance: .positiveInfinity)
        scene.driver.run(seconds: 0)
        #expect(scene.sink.numbers.last == 30)
        #expect(scene.player.currentTime() == .ms(1200))
        scene.seek("window", to: .ms(1390), tolerance: .ms(before))
        scene.driver.run(seconds: 0)
        let landed = scene.player.currentTime()
        #expect(landed >= .ms(1390 - before) && landed <= .ms(1390 + before))
    }

    @Test("Where nothing can be decoded from the key frame on, the last picture before it is the one due")
    func undecodableTail() {
        let scene = Scene()
        scene.load(Scene.clip((40..<50).map { .undecodable(frame: $0) }))
        scene.seek("seek", to: .ms(1900))
        scene.driver.run(seconds: 0)
        #expect(scene.told(of: "seek ") == ["seek true"])
        #expect(scene.sink.numbers == [0, 39])
    }

    @Test("One seek, one jump: the notice comes with the picture's place and before the answer")
    func oneJump() {
        let scene = Scene()
        scene.load()
        _ = scene.told()
        scene.seek("seek", to: .ms(1000))
        scene.driver.run(seconds: 0)
        #expect(scene.told(of: "jumped", "seek ") == ["jumped 1.0", "seek true"])
    }
}
