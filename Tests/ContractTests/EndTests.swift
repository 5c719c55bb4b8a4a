import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: ends")
struct EndTests {
    private func played(_ action: Player.ActionAtItemEnd, seconds: Double = 3) -> Scene {
        let scene = Scene()
        scene.player.actionAtItemEnd = action
        scene.load()
        _ = scene.told()
        scene.player.play()
        scene.driver.run(seconds: seconds)
        return scene
    }

    @Test("An item that is put behind one that could not be played is played, whenever it comes")
    func behindFailed() {
        let driver = ManualDriver()
        let scripts = Scripts(clock: driver.clock)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        configuration.backend = scripts
        func item(_ faults: [ScriptedMedia.Fault]) -> PlayerItem {
            PlayerItem(asset: Asset(url: scripts.add(Scene.clip(faults)), backend: scripts))
        }
        let broken = item([.openFails(.notFound)])
        let player = QueuePlayer(items: [broken], configuration: configuration)
        player.play()
        driver.settle()
        #expect(broken.status == .failed)
        let next = item([])
        player.insert(next, after: nil)
        player.play()
        driver.run(seconds: 1)
        #expect(player.currentItem === next)
        #expect(next.currentTime() == .ms(1000))
    }

    @Test("An end before anything is an end, and no fault", arguments: [0, 1, 30] as [Int64])
    func endBeforeAnything(_ end: Int64) {
        let scene = Scene()
        let item = scene.makeItem()
        item.forwardPlaybackEndTime = .ms(end)
        scene.player.replaceCurrentItem(with: item)
        scene.player.play()
        scene.driver.run(seconds: 1)
        #expect(item.status == .readyToPlay)
        #expect(scene.told(of: "end", "failed") == ["end"])
        #expect(scene.sight == "0.0 paused")
    }

    @Test(
        "A loop of no length ends as if played once, instead of going round for ever",
        arguments: [(0, 1), (0, -1), (1, 1)] as [(Int64, Float)]
    )
    func loopOfNothing(_ end: Int64, _ rate: Float) {
        let scene = Scene()
        let item = scene.makeItem()
        scene.player.repeatMode = .loop
        if rate > 0 {
            item.forwardPlaybackEndTime = MediaTime(value: end, timescale: 1_000_000_000)
        } else {
            item.reversePlaybackEndTime = .ms(2000)
        }
        scene.player.replaceCurrentItem(with: item)
        scene.driver.settle()
        if rate < 0 { scene.seek("sought", to: .ms(2000)) }
        scene.player.rate = rate
        scene.driver.run(seconds: 1)
        #expect(scene.told(of: "end").count == 1)
        #expect(scene.sight == "0.0 paused")
    }

    @Test(
        "pause, and advance without a queue: the end, then the rate, then the status; the last picture stays"
    )
    func pause() {
        #expect(Scene().player.actionAtItemEnd == .pause)
        for action in [Player.ActionAtItemEnd.pause, .advance] {
            let scene = played(action)
            #expect(scene.sight == "0.0 paused")
            #expect(scene.player.currentItem != nil)
            #expect(scene.player.currentTime() == .ms(2000))
            #expect(scene.sink.numbers.last == 49)
            #expect(
                scene.told(of: "end", "rate", "status") == [
                    "rate 0.0 -> 1.0 setRateCalled", "status playing", "end",
                    "rate 1.0 -> 0.0 itemEnded", "status paused",
                ]
            )
        }
    }

    @Test("none: the rate stays, and time counts on past the end; another action then applies at once")
    func none() {
        let scene = played(.none)
        #expect(scene.sight == "1.0 playing")
        #expect(scene.player.currentTime() == .ms(3000))
        #expect(scene.told(of: "end", "rate 1") == ["end"])
        scene.player.actionAtItemEnd = .pause
        scene.driver.settle()
        #expect(scene.sight == "0.0 paused")
        #expect(scene.told(of: "end", "rate", "status") == ["rate 1.0 -> 0.0 itemEnded", "status paused"])
    }

    @Test("Paused past the end under none, it plays on past the end, and tells no end again")
    func pausedPastTheEnd() {
        let scene = played(.none)
        scene.player.pause()
        scene.driver.run(seconds: 1)
        #expect(scene.player.currentTime() == .ms(3000))
        scene.player.play()
        scene.driver.run(seconds: 1)
        #expect(scene.sight == "1.0 playing")
        #expect(scene.player.currentTime() == .ms(4000))
        #expect(scene.told(of: "end") == ["end"])
    }

    @Test("play() at the end moves nothing and tells the end once more; after a seek it plays again")
    func playAtTheEnd() {
        let scene = played(.pause)
        _ = scene.told()
        scene.player.play()
        scene.driver.run(seconds: 5)
        #expect(scene.told(of: "end", "rate") == ["end"])
        #expect(scene.sight == "0.0 paused")
        #expect(scene.sink.numbers.count == 50)
        scene.seek("again", to: .zero)
        scene.player.play()
        scene.driver.run(seconds: 5)
        #expect(scene.told(of: "end", "again") == ["again true", "end"])
        #expect(scene.sink.numbers == Array(0..<50) + Array(0..<50))
    }

    @Test("The classic loop, none and a seek to zero in the handler, goes on for ever")
    func classicLoop() {
        let scene = Scene()
        let player = scene.player
        player.actionAtItemEnd = .none
        let token = player.onEvent { [weak player] event in
            guard case .didPlayToEndTime = event.event else { return }
            player?.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        scene.load()
        player.play()
        scene.driver.run(until: .ms(19_990))
        #expect(scene.sink.numbers == (0..<10).flatMap { _ in 0..<50 })
        #expect(scene.told(of: "end").count == 9)
        #expect(scene.sight == "1.0 playing")
        token.invalidate()
    }

    @Test(
        "A seek to the end, or past it, makes the end come once, with the last picture",
        arguments: [2000, 9000]
    )
    func seekToTheEnd(target: Int64) {
        let scene = Scene()
        scene.load()
        scene.player.play()
        scene.driver.run(seconds: 0.2)
        scene.seek("seek", to: .ms(target))
        scene.driver.run(seconds: 5)
        #expect(scene.told(of: "end", "seek ") == ["seek true", "end"])
        #expect(scene.sink.numbers.last == 49)
        #expect(scene.player.currentTime() == .ms(2000))
    }

    @Test("An end time of the item ends it there; the duration does not change")
    func endTime() {
        let scene = Scene()
        let item = scene.makeItem()
        item.forwardPlaybackEndTime = .ms(1000)
        scene.player.replaceCurrentItem(with: item)
        scene.player.play()
        scene.driver.run(seconds: 5)
        #expect(scene.sink.numbers == Array(0..<25))
        #expect(scene.player.currentTime() == .ms(1000))
        #expect(item.duration == .ms(2000))
        #expect(scene.told(of: "end") == ["end"])
    }

    @Test("The longer track decides the end, and each is played whole")
    func uneven() {
        let scene = Scene()
        scene.load(ScriptedMedia(video: .init(frameCount: 25), audio: .init(sampleCount: 96_000)))
        scene.player.play()
        scene.driver.run(seconds: 5)
        #expect(scene.sink.numbers == Array(0..<25))
        #expect(scene.told(of: "end") == ["end"])
    }

    @Test("Cut off: one outcome, a failure, and asked to play on it fails again instead of ending well")
    func cutOff() {
        let scene = Scene()
        let item = scene.load(
            ScriptedMedia(video: .init(frameCount: 250), faults: [.cutOff(atPacket: 100)])
        )
        scene.player.play()
        scene.driver.run(seconds: 5)
        #expect(
            scene.told(of: "end", "failed", "rate 1") == ["failed truncated", "rate 1.0 -> 0.0 itemFailed"]
        )
        #expect(item.status == .readyToPlay)
        scene.player.play()
        scene.driver.run(seconds: 5)
        #expect(scene.told(of: "end", "failed") == ["failed truncated"])
        #expect(scene.sight == "0.0 paused")
    }

    @Test("Each pass tells its outcome once: played to its end, replaced, stopped or failed")
    func outcomes() {
        let scene = Scene()
        let outcomes = Locked([String]())
        let token = scene.player.onEvent { timed in
            guard case .passEnded(_, let outcome) = timed.event else { return }
            let words = "\(outcome)".prefix { $0 != "(" }
            outcomes.withLock { $0.append(String(words)) }
        }
        func told() -> [String] {
            outcomes.withLock { seen in
                defer { seen = [] }
                return seen
            }
        }
        let player = scene.player
        player.replaceCurrentItem(with: scene.makeItem())
        player.play()
        scene.driver.run(seconds: 1)
        player.replaceCurrentItem(with: scene.makeItem())
        scene.driver.run(seconds: 1)
        #expect(told() == ["replaced"])
        player.seek(to: .ms(500))
        scene.driver.run(seconds: 5)
        #expect(told() == ["playedToEnd"])
        player.seek(to: .zero)
        scene.driver.run(seconds: 1)
        player.replaceCurrentItem(with: nil)
        scene.driver.run(seconds: 1)
        #expect(told() == ["stopped"], "sought away from the end, another pass had begun")
        player.replaceCurrentItem(with: scene.makeItem(Scene.clip([.openFails(.unrecognizedFormat)])))
        scene.driver.run(seconds: 1)
        player.replaceCurrentItem(with: scene.makeItem(Scene.clip([.lost(fromPacket: 10)])))
        player.play()
        scene.driver.run(seconds: 5)
        player.replaceCurrentItem(with: scene.makeItem())
        player.repeatMode = .loop
        player.play()
        scene.driver.run(seconds: 5)
        #expect(told() == ["failed", "failed", "playedToEnd", "playedToEnd"])
        withExtendedLifetime(token) {}
    }
}
