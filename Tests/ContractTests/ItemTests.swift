import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: items and players")
struct ItemTests {
    @Test("Making players, items and assets opens nothing; a player opens its item once")
    func noIO() {
        let scene = Scene()
        let item = scene.makeItem()
        scene.driver.run(seconds: 1)
        #expect(scene.scripts.opened.isEmpty)
        #expect(item.status == .unknown)
        scene.player.replaceCurrentItem(with: item)
        scene.driver.run(seconds: 1)
        #expect(scene.scripts.opened == ["/script-1"])
        #expect(item.status == .readyToPlay)
    }

    @Test("Replacing an item by itself changes nothing")
    func sameItem() {
        let scene = Scene()
        let item = scene.load()
        scene.player.play()
        scene.driver.run(seconds: 0.5)
        _ = scene.told()
        scene.player.replaceCurrentItem(with: item)
        scene.driver.run(seconds: 0.5)
        #expect(scene.told().isEmpty)
        #expect(scene.player.currentTime() == .ms(1000))
        #expect(scene.scripts.opened.count == 1)
    }

    @Test("Replacing while playing: at once, from its start, at the rate that was wanted")
    func replaceWhilePlaying() {
        let scene = Scene()
        let first = scene.load()
        scene.player.rate = 2
        scene.driver.run(seconds: 0.5)
        _ = scene.told()
        let second = scene.makeItem()
        scene.player.replaceCurrentItem(with: second)
        #expect(scene.player.currentItem === second)
        #expect(scene.player.currentTime() == .zero)
        scene.driver.run(seconds: 0.5)
        #expect(scene.sight == "2.0 playing")
        #expect(scene.player.currentTime() == .ms(1000))
        #expect(scene.told(of: "rate", "end").isEmpty)
        #expect(first.currentTime() == .zero)
    }

    @Test("nil takes the item off; the rate is kept, and a new item starts by itself")
    func removeAndGoOn() {
        let scene = Scene()
        let item = scene.load()
        scene.player.play()
        scene.driver.run(seconds: 0.5)
        scene.player.replaceCurrentItem(with: nil)
        scene.driver.run(seconds: 1)
        #expect(scene.sight == "1.0 waitingToPlayAtSpecifiedRate noItemToPlay")
        #expect(scene.player.currentTime() == .zero)
        #expect(item.status == .readyToPlay)
        #expect(item.duration == .ms(2000))
        scene.load()
        scene.driver.run(seconds: 0.2)
        #expect(scene.sight == "1.0 playing")
    }

    @Test("An item that another player has moves, with a seek that was under way answered false")
    func moves() {
        let scene = Scene()
        let other = Scene.makePlayer(scene.driver, scene.scripts)
        let item = scene.load()
        scene.seek("seek", to: .ms(500))
        other.replaceCurrentItem(with: item)
        #expect(scene.player.currentItem == nil)
        #expect(other.currentItem === item)
        other.play()
        scene.driver.run(seconds: 1)
        #expect(other.currentTime() == .ms(1000))
        #expect(scene.told(of: "seek") == ["seek false"])
        #expect(scene.sight == "0.0 paused")
    }

    @Test("A failed item stays failed with its words, in another player too; the player plays the next one")
    func failed() {
        let scene = Scene()
        scene.player.play()
        let item = scene.load(Scene.clip([.openFails(.unrecognizedFormat)]))
        #expect(item.status == .failed)
        #expect(item.error?.code == .unrecognizedFormat)
        #expect(scene.sight == "0.0 paused")
        let other = Scene.makePlayer(scene.driver, scene.scripts)
        other.replaceCurrentItem(with: item)
        scene.driver.run(seconds: 1)
        #expect(item.status == .failed)
        scene.load()
        scene.player.play()
        scene.driver.run(seconds: 0.4)
        #expect(scene.sight == "1.0 playing")
    }

    @Test("Two items of one asset are two playings")
    func sharedAsset() {
        let scene = Scene()
        let asset = Asset(url: scene.scripts.add(Scene.clip()), backend: scene.scripts)
        let other = Scene.makePlayer(scene.driver, scene.scripts)
        scene.player.replaceCurrentItem(with: PlayerItem(asset: asset))
        other.replaceCurrentItem(with: PlayerItem(asset: asset))
        scene.player.play()
        other.rate = 0.5
        scene.driver.run(seconds: 1)
        #expect(scene.player.currentTime() == .ms(1000))
        #expect(other.currentTime() == .ms(500))
    }

    @Test(
        "A duration that was guessed, or not known, is known when the data has been read to its end",
        arguments: [MediaTime.ms(5000), .ms(1500), .indefinite],
        [Player.RepeatMode.once, .loop]
    )
    func learntDuration(_ guess: MediaTime, _ mode: Player.RepeatMode) {
        let scene = Scene()
        var media = Scene.clip([.stall(atPacket: 25, until: 3)])
        media.estimatedDuration = guess
        scene.player.repeatMode = mode
        let item = scene.load(media)
        #expect(item.duration == guess)
        #expect(item.seekableTimeRanges.map(\.end) == (guess.isNumeric ? [guess] : []))
        _ = scene.told()
        scene.player.play()
        scene.driver.run(seconds: 4)
        #expect(item.duration == .ms(2000))
        #expect(item.seekableTimeRanges == [MediaTimeRange(start: .zero, duration: .ms(2000))])
        #expect(scene.told(of: "durationChanged") == ["durationChanged"])
    }

    @Test("An end that was asked for says nothing of the duration, and the container's own word stands")
    func keptDuration() {
        let scene = Scene()
        var media = Scene.clip()
        media.estimatedDuration = .ms(5000)
        let item = scene.makeItem(media)
        item.forwardPlaybackEndTime = .ms(500)
        scene.player.replaceCurrentItem(with: item)
        scene.player.play()
        scene.driver.run(seconds: 1)
        #expect(scene.told(of: "end") == ["end"])
        #expect(item.duration == .ms(5000))
    }

    @Test("What an item tells is in order: its player's readiness, its facts, then the picture")
    func order() {
        let scene = Scene()
        let item = scene.load()
        #expect(
            scene.told() == [
                "item some", "presentationSizeChanged", "tracksChanged", "player readyToPlay",
                "durationChanged", "itemStatus readyToPlay", "empty false", "keepUp true",
                "readyForDisplay true", "full true",
            ]
        )
        scene.player.replaceCurrentItem(with: nil)
        scene.driver.settle()
        #expect(scene.told() == ["readyForDisplay false", "item none"])
        #expect(item.status == .readyToPlay)
    }
}
