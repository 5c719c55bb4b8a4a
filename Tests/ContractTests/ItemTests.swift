import Foundation
import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: items and players")
struct ItemTests {
    @Test("Creating players, items and assets opens nothing, and a player opens its item once")
    func noIO() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        bench.driver.run(seconds: 1)
        #expect(bench.backend.opened.isEmpty)
        #expect(item.status == .unknown)
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(seconds: 1)
        #expect(bench.backend.opened == ["/script-1"])
        #expect(item.status == .readyToPlay)
    }

    @Test("A player is created without an item, with one, or with the URL of one, and is paused")
    func made() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        let configuration = bench.player.configuration
        #expect(Player(configuration: configuration).currentItem == nil)
        let player = Player(playerItem: item, configuration: configuration)
        #expect(player.currentItem === item)
        bench.driver.run(seconds: 1)
        #expect(item.status == .readyToPlay && item.currentTime() == .zero && player.rate == 0)
        let taker = Player(playerItem: item, configuration: configuration)
        #expect(player.currentItem == nil && taker.currentItem === item)
        let url = URL(fileURLWithPath: "/nowhere/at-all.mp4")
        let other = Player(url: url)
        #expect(other.currentItem?.asset.url == url && other.rate == 0)
        #expect(Player().currentItem == nil && Player(playerItem: nil).currentItem == nil)
        bench.driver.settle()
    }

    @Test("Replacing the current item, also with nil, takes effect in the call, whatever the engine is doing")
    func replaced() {
        let bench = PlayerTestBench(.silentClip())
        let (first, second) = (bench.load(), bench.makeItem())
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        bench.player.replaceCurrentItem(with: second)
        #expect(bench.player.currentItem === second)
        #expect(bench.player.currentTime() == .zero)
        bench.driver.run(seconds: 0.2)
        #expect(bench.player.currentTime() == .ms(200))
        bench.player.replaceCurrentItem(with: nil)
        #expect(bench.player.currentItem == nil)
        #expect(bench.player.currentTime() == .zero)
        bench.driver.run(seconds: 1)
        #expect(bench.player.currentItem == nil)
        #expect(bench.stateLine == "1.0 waitingToPlayAtSpecifiedRate noItemToPlay")
        #expect(first.currentTime() == .ms(500) && second.currentTime() == .ms(200))
    }

    @Test("A copy has the asset and the settings, but no outputs, taps, player or time")
    func copied() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        item.forwardPlaybackEndTime = .ms(1500)
        item.reversePlaybackEndTime = .ms(200)
        item.preferredForwardBufferDuration = 3
        item.audioTimePitchAlgorithm = .varispeed
        var volume = AudioMixInputParameters(trackID: 0)
        volume.setVolume(0.5, at: .zero)
        item.audioMix = AudioMix(inputParameters: [volume])
        item.add(VideoOutput())
        item.add(AudioTap(metering: { _ in }))
        bench.load(item)
        bench.seek("sought", to: .ms(1000))
        bench.driver.settle()
        let copy = item.makeCopy()
        #expect(copy !== item && copy.asset === item.asset)
        #expect(copy.forwardPlaybackEndTime == .ms(1500) && copy.reversePlaybackEndTime == .ms(200))
        #expect(copy.preferredForwardBufferDuration == 3)
        #expect(copy.audioTimePitchAlgorithm == .varispeed)
        #expect(copy.audioMix == item.audioMix)
        #expect(item.outputs.count == 1 && copy.outputs.isEmpty)
        #expect(item.audioTaps.count == 1 && copy.audioTaps.isEmpty)
        #expect(copy.status == .unknown && copy.currentTime() == .zero)
        #expect(bench.player.currentItem === item)
    }

    @Test("Replacing an item by itself changes nothing")
    func sameItem() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        _ = bench.takeLines()
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(seconds: 0.5)
        #expect(bench.takeLines().isEmpty)
        #expect(bench.player.currentTime() == .ms(1000))
        #expect(bench.backend.opened.count == 1)
    }

    @Test(
        "An item that replaces another one during playback starts at once from its start, at the requested rate"
    )
    func replaceWhilePlaying() {
        let bench = PlayerTestBench(.silentClip())
        let first = bench.load()
        bench.player.rate = 2
        bench.driver.run(seconds: 0.5)
        _ = bench.takeLines()
        let second = bench.makeItem()
        bench.player.replaceCurrentItem(with: second)
        #expect(bench.player.currentItem === second)
        #expect(bench.player.currentTime() == .zero)
        bench.driver.run(seconds: 0.5)
        #expect(bench.stateLine == "2.0 playing")
        #expect(bench.player.currentTime() == .ms(1000))
        #expect(bench.takeLines(of: "rate", "end").isEmpty)
        #expect(first.currentTime() == .ms(1000))
    }

    @Test("nil removes the item, the rate is kept, and a new item starts without a call of play()")
    func removedAndReplaced() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        bench.player.replaceCurrentItem(with: nil)
        bench.driver.run(seconds: 1)
        #expect(bench.stateLine == "1.0 waitingToPlayAtSpecifiedRate noItemToPlay")
        #expect(bench.player.currentTime() == .zero)
        #expect(item.status == .readyToPlay)
        #expect(item.duration == .ms(2000))
        bench.load()
        bench.driver.run(seconds: 0.2)
        #expect(bench.stateLine == "1.0 playing")
    }

    @Test("An item that moves to another player starts at the target of its seek, which is answered false")
    func moves() {
        let bench = PlayerTestBench(.silentClip())
        let other = Player(configuration: bench.player.configuration)
        let item = bench.load()
        bench.seek("seek", to: .ms(500))
        other.replaceCurrentItem(with: item)
        #expect(bench.player.currentItem == nil)
        #expect(other.currentItem === item)
        other.play()
        bench.driver.run(seconds: 1)
        #expect(other.currentTime() == .ms(1500))
        #expect(bench.takeLines(of: "seek") == ["seek false", "seekCompleted"])
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test("A failed item keeps its error, in another player too, and the player plays the next one")
    func failed() {
        let bench = PlayerTestBench(.silentClip())
        bench.player.play()
        let item = bench.load(.silentClip([.openFails(.unrecognizedFormat)]))
        #expect(item.status == .failed)
        #expect(item.error?.code == .unrecognizedFormat)
        #expect(bench.stateLine == "0.0 paused")
        let other = Player(configuration: bench.player.configuration)
        other.replaceCurrentItem(with: item)
        bench.driver.run(seconds: 1)
        #expect(item.status == .failed)
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 0.4)
        #expect(bench.stateLine == "1.0 playing")
    }

    @Test("Two items of one asset play independently")
    func sharedAsset() {
        let bench = PlayerTestBench(.silentClip())
        let asset = bench.backend.makeAsset()
        let other = Player(configuration: bench.player.configuration)
        bench.player.replaceCurrentItem(with: PlayerItem(asset: asset))
        other.replaceCurrentItem(with: PlayerItem(asset: asset))
        bench.player.play()
        other.rate = 0.5
        bench.driver.run(seconds: 1)
        #expect(bench.player.currentTime() == .ms(1000))
        #expect(other.currentTime() == .ms(500))
    }

    @Test(
        "An estimated or unknown duration is corrected once the data has been read to its end",
        arguments: [MediaTime.ms(5000), .ms(1500), .indefinite],
        [Player.RepeatMode.once, .loop]
    )
    func learntDuration(_ guess: MediaTime, _ mode: Player.RepeatMode) {
        let bench = PlayerTestBench(.silentClip())
        var media = ScriptedMedia.silentClip([.stall(atPacket: 25, until: 3)])
        media.estimatedDuration = guess
        bench.player.repeatMode = mode
        let item = bench.load(media)
        #expect(item.duration == guess)
        #expect(item.seekableTimeRanges.map(\.end) == (guess.isNumeric ? [guess] : []))
        _ = bench.takeLines()
        bench.player.play()
        bench.driver.run(seconds: 4)
        #expect(item.duration == .ms(2000))
        #expect(item.seekableTimeRanges == [MediaTimeRange(start: .zero, duration: .ms(2000))])
        #expect(bench.takeLines(of: "durationChanged") == ["durationChanged"])
    }

    @Test(
        "A declared duration that is wrong is corrected once when the data has been read to its end",
        arguments: [MediaTime.ms(3417), .ms(1500), .ms(2100), .ms(1900)],
        [Player.RepeatMode.once, .loop]
    )
    func correctedDuration(_ declared: MediaTime, _ mode: Player.RepeatMode) {
        let bench = PlayerTestBench(.silentClip())
        var media = ScriptedMedia.silentClip([.stall(atPacket: 25, until: 3)])
        media.declaredDuration = declared
        bench.player.repeatMode = mode
        let item = bench.load(media)
        #expect(item.duration == declared)
        _ = bench.takeLines()
        bench.player.play()
        bench.driver.run(seconds: 4)
        #expect(item.duration == .ms(2000))
        #expect(item.seekableTimeRanges == [MediaTimeRange(start: .zero, duration: .ms(2000))])
        #expect(bench.takeLines(of: "durationChanged") == ["durationChanged"])
        bench.driver.run(seconds: 6)
        #expect(item.duration == .ms(2000))
        #expect(bench.takeLines(of: "durationChanged").isEmpty)
    }

    @Test("The duration stays if a disabled track is longer, or if it differs only by rounding")
    func durationOfOthers() {
        let bench = PlayerTestBench(.silentClip())
        let longer = bench.makeItem(
            ScriptedMedia(video: .init(frameCount: 50), audio: .init(sampleCount: 144_000))
        )
        longer.disableTracks(ofType: .audio)
        bench.load(longer)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(longer.duration == .ms(3000))
        var media = ScriptedMedia.silentClip()
        media.declaredDuration = .ms(2010)
        let rounded = bench.load(media)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(rounded.duration == .ms(2010))
    }

    @Test("Reaching an end time does not correct the duration: the container's value stays")
    func keptDuration() {
        let bench = PlayerTestBench(.silentClip())
        var media = ScriptedMedia.silentClip()
        media.estimatedDuration = .ms(5000)
        let item = bench.makeItem(media)
        item.forwardPlaybackEndTime = .ms(500)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(item.duration == .ms(5000))
    }

    @Test("An item reports in order: its player's readiness, its properties, then its first frame")
    func order() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        #expect(
            bench.takeLines() == [
                "item some", "presentationSizeChanged", "tracksChanged", "player readyToPlay",
                "durationChanged", "itemStatus readyToPlay", "empty false", "keepUp true",
                "readyForDisplay true", "full true",
            ]
        )
        bench.player.replaceCurrentItem(with: nil)
        bench.driver.settle()
        #expect(bench.takeLines() == ["readyForDisplay false", "item none"])
        #expect(item.status == .readyToPlay)
    }

    @Test("All properties of the asset are loaded once the item is ready")
    func keys() async throws {
        let bench = PlayerTestBench(.clip())
        let asset = bench.backend.makeAsset()
        let item = PlayerItem(asset: asset)
        let seen = Locked([Bool]())
        let token = item.observe(\.status) { item, _ in
            guard item.status == .readyToPlay, case .loaded(let tracks) = asset.status(of: .tracks),
                case .loaded(true) = asset.status(of: .isPlayable)
            else { return }
            seen.withLock { $0.append(tracks.count == 2) }
        }
        #expect(asset.status == .unknown)
        bench.load(item)
        #expect(seen.withLock { $0 } == [true])
        token.invalidate()
        let broken = bench.backend.makeAsset(.silentClip([.openFails(.unrecognizedFormat)]))
        let failing = bench.load(PlayerItem(asset: broken))
        #expect(failing.status == .failed)
    }
}
