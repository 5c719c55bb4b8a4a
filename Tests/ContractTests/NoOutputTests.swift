import Playhead
import PlayheadTesting
import Testing

// Rule: nothing-selected
@Suite("Contract: items without audible or visible output")
struct NoOutputTests {
    enum Scene: CaseIterable, Sendable {
        /// The player has no audio.
        case audioNone
        /// The item's only kind of track is switched off.
        case audioOff, videoOff
        /// Both kinds of track are switched off.
        case bothOff

        var media: ScriptedMedia {
            switch self {
            case .audioNone, .audioOff: ScriptedMedia(audio: .init(sampleCount: 96_000))
            case .videoOff: .silentClip()
            case .bothOff: .clip()
            }
        }

        func set(_ item: PlayerItem) {
            if self != .audioNone, self != .videoOff { item.disableTracks(ofType: .audio) }
            if self == .videoOff || self == .bothOff { item.disableTracks(ofType: .video) }
        }
    }

    @Test("Time runs to the end in silence, and no error occurs", arguments: Scene.allCases)
    func plays(scene: Scene) {
        let bench = PlayerTestBench(scene.media, audio: scene == .audioNone ? .none : .captured)
        let ends = Locked(0)
        let token = bench.player.onEvent { timed in
            if case .didPlayToEndTime = timed.event { ends.withLock { $0 += 1 } }
        }
        let item = bench.makeItem()
        scene.set(item)
        bench.load(item)
        #expect(item.status == .readyToPlay)
        #expect(item.error == nil)
        #expect(item.duration == .ms(2000))
        #expect(!item.tracks.contains { $0.isEnabled })
        bench.player.play()
        bench.driver.run(until: .ms(500))
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.player.currentTime() == .ms(500))
        bench.player.seek(to: .ms(1500), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(until: .ms(900))
        #expect(bench.player.currentTime() == .ms(1900))
        var count = ends.withLock { $0 }
        #expect(count == 0)
        bench.driver.run(until: .ms(1200))
        count = ends.withLock { $0 }
        #expect(count == 1)
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.player.currentTime() == .ms(2000))
        #expect(bench.videoSink.numbers.isEmpty)
        #expect(bench.audioSink.samples.allSatisfy { $0 == 0 })
        // Media without audio has no samples, not even silent ones.
        if scene == .videoOff { #expect(bench.audioSink.samples.isEmpty) }
        token.invalidate()
    }

    @Test("A track that is switched on during playback is heard from there on")
    func switchedOn() {
        let bench = PlayerTestBench(ScriptedMedia(audio: .init(sampleCount: 96_000)))
        let item = bench.makeItem()
        item.disableTracks(ofType: .audio)
        bench.load(item)
        bench.player.play()
        bench.driver.run(until: .ms(500))
        item.selectTrack(item.asset.tracks[0].id, ofType: .audio)
        bench.driver.run(seconds: 3)
        #expect(item.tracks.allSatisfy { $0.isEnabled })
        #expect(bench.audioSink.samples.last == Int16(truncatingIfNeeded: 95_999))
        #expect(bench.player.currentTime() == .ms(2000))
    }

    @Test("The only track is switched off during playback, and time runs on in silence without a stop")
    func switchedOff() {
        let bench = PlayerTestBench(ScriptedMedia(audio: .init(sampleCount: 96_000)))
        let item = bench.load()
        bench.player.play()
        bench.driver.run(until: .ms(500))
        item.disableTracks(ofType: .audio)
        bench.driver.run(until: .ms(1500))
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.player.currentTime() == .ms(1500))
        #expect(!item.tracks.contains { $0.isEnabled })
        bench.driver.run(seconds: 2)
        #expect(bench.takeLines(of: "end", "failed", "stalled") == ["end"])
        #expect(bench.audioSink.samples.count == 96_000)
        #expect(bench.audioSink.samples.suffix(48_000).allSatisfy { $0 == 0 })
    }

    @Test("The item loops, advances in a queue, and plays at other rates")
    func loopsAndQueues() {
        let bench = PlayerTestBench(
            queue: 2,
            of: ScriptedMedia(audio: .init(sampleCount: 96_000)),
            audio: .none
        )
        bench.player.rate = 2
        bench.driver.run(seconds: 1.5)
        #expect(bench.player.currentItem === bench.items[1])
        #expect(bench.player.currentTime() == .ms(1000))
        bench.player.repeatMode = .loop
        bench.driver.run(seconds: 2)
        #expect(bench.player.currentTime() == .ms(1000))
        #expect(bench.takeLines(of: "end").count == 3)
    }

    @Test("An item that cannot be played at all still fails")
    func fails() {
        let bench = PlayerTestBench(ScriptedMedia(audio: .init(sampleCount: 96_000)), audio: .none)
        for media in [
            ScriptedMedia(), ScriptedMedia(video: .init(frameCount: 5), faults: [.noDecoder(.video)]),
        ] {
            #expect(bench.load(media).status == .failed)
        }
    }

    @Test("The player's backend reads text of an asset that has no backend of its own")
    func text() {
        var media = ScriptedMedia.silentClip()
        media.cues = [.init("one", from: 0, to: 900)]
        let bench = PlayerTestBench(media)
        let item = PlayerItem(url: bench.makeItem().asset.url)
        item.selectTrack(ScriptedMedia.subtitleTrack, ofType: .subtitle)
        let output = LegibleOutput()
        item.add(output)
        bench.load(item)
        bench.driver.run(seconds: 0.1)
        #expect(output.cues(forItemTime: item.currentTime()).map(\.text) == ["one"])
    }

    @Test(
        "An asset's own backend takes precedence over the player's, and an asset without one uses the player's"
    )
    func backends() {
        let (first, second) = (PlayerTestBench(.silentClip()), PlayerTestBench(.silentClip()))
        let item = first.makeItem()
        second.load(item)
        #expect(item.status == .readyToPlay)
        #expect(first.backend.opened.count == 1)
        #expect(second.backend.opened.isEmpty)
        let plain = second.load(PlayerItem(url: item.asset.url))
        #expect(plain.status == .readyToPlay)
        #expect(first.backend.opened.count == 1)
        #expect(second.backend.opened.count == 1)
        // The configuration of this player names no backend.
        var configuration = Player.Configuration()
        configuration.clock = .driver(first.driver)
        let third = Player(configuration: configuration)
        let own = first.makeItem()
        third.replaceCurrentItem(with: own)
        first.driver.run(seconds: 0)
        #expect(own.status == .readyToPlay)
        #expect(first.backend.opened.count == 2)
    }
}
