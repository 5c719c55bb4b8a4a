import Foundation
import Observation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

// Rule: track-switches, nothing-selected
@Suite("Contract: enabling and disabling tracks")
struct TrackSwitchTests {
    private func playing(
        _ media: ScriptedMedia = .clip(),
        until milliseconds: Int64 = 500
    ) -> (PlayerTestBench<Player>, PlayerItem) {
        let bench = PlayerTestBench(media)
        let item = bench.load()
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: milliseconds * 1_000_000))
        return (bench, item)
    }

    private func track(_ type: MediaType, of item: PlayerItem) throws -> PlayerItemTrack {
        try #require(item.tracks.first { $0.assetTrack.mediaType == type })
    }

    private func run(_ bench: PlaybackTestBench, until milliseconds: Int64) {
        bench.driver.run(until: HostTime(nanoseconds: milliseconds * 1_000_000))
    }

    /// Expects each frame at its due time, and the first frame after a gap as soon as its track is available.
    private func expectInStep(_ bench: PlaybackTestBench) {
        var last: Int?
        for case .present(let number, _, _, let host) in bench.videoSink.calls {
            let late = host - Int64(number) * 40_000_000
            #expect(number == (last ?? -1) + 1 ? late == 0 : (0..<40_000_000).contains(late), "\(number)")
            last = number
        }
    }

    @Test("A change of isEnabled is visible at once in the track, its copies and the item")
    func readBack() throws {
        let bench = PlayerTestBench(.clip())
        let item = bench.load()
        let audio = try track(.audio, of: item)
        let copy = audio
        #expect(audio.isEnabled)
        audio.isEnabled = false
        #expect(!audio.isEnabled && !copy.isEnabled)
        #expect(item.tracks.map(\.isEnabled) == [true, false])
        copy.isEnabled = true
        #expect(audio.isEnabled)
        #expect(item.tracks.map(\.isEnabled) == [true, true])
        for track in item.tracks { track.isEnabled = false }
        #expect(item.tracks.map(\.isEnabled) == [false, false])
        bench.driver.settle()
        #expect(item.tracks.map(\.isEnabled) == [false, false])
        item.tracks[0].isEnabled = true
        bench.driver.settle()
        #expect(item.tracks.map(\.isEnabled) == [true, false])
    }

    @Test("A subtitle track that cannot be read is no longer enabled, and observers of tracks are notified")
    func unreadableSubtitles() throws {
        let url = URL(fileURLWithPath: "/media/film.mkv")
        var script = ScriptedMedia.clip()
        script.cues = [.init("one", from: 100, to: 500)]
        let bench = PlayerTestBench(scripts: [url: script])
        let item = bench.load(at: url)
        let notices = Locked(0)
        bench.backend[url] = ScriptedMedia(faults: [.openFails(.notFound)])
        let subtitles = try track(.subtitle, of: item)
        subtitles.isEnabled = true
        #expect(try track(.subtitle, of: item).isEnabled)
        withObservationTracking {
            _ = item.tracks
        } onChange: {
            notices.withLock { $0 += 1 }
        }
        bench.driver.settle()
        #expect(item.errorLog().events.contains { $0.error.code == .notFound })
        #expect(try !track(.subtitle, of: item).isEnabled)
        #expect(notices.withLock { $0 } == 1)
    }

    @Test("A selection in another group leaves a change of isEnabled that is not applied yet visible")
    func otherGroup() throws {
        let (bench, item) = playing()
        let video = try track(.video, of: item)
        let group = try #require(item.asset.mediaSelectionGroup(for: .audible))
        video.isEnabled = false
        item.select(nil, in: group)
        #expect(item.tracks.first { $0.assetTrack.mediaType == .video }?.isEnabled == false)
        video.isEnabled = true
        bench.driver.run(seconds: 1)
        #expect(item.tracks.map(\.isEnabled) == [true, false])
    }

    @Test(
        "A disabled audio track is silent, and resumes in sync to the sample, also by the selection in its group",
        arguments: [false, true]
    )
    func audio(byGroup: Bool) throws {
        let (bench, item) = playing()
        let audio = try track(.audio, of: item)
        let group = try #require(item.asset.mediaSelectionGroup(for: .audible))
        if byGroup { item.select(nil, in: group) } else { audio.isEnabled = false }
        #expect(item.selectedMediaOption(in: group) == nil)
        run(bench, until: 1000)
        #expect(item.tracks.map(\.isEnabled) == [true, false])
        let heard = bench.audioSink.samples.count
        #expect(heard < 48_000)
        if byGroup { item.selectMediaOptionAutomatically(in: group) } else { audio.isEnabled = true }
        bench.driver.run(atMost: 60)
        #expect(item.tracks.map(\.isEnabled) == [true, true])
        #expect(bench.videoSink.numbers == Array(0..<50))
        expectInStep(bench)
        let rest = Array(bench.audioSink.samples[heard...])
        #expect(!rest.isEmpty)
        #expect(rest == ((96_000 - rest.count)..<96_000).map { Int16(truncatingIfNeeded: $0) })
    }

    @Test("A disabled video track is neither shown nor decoded, and resumes in sync")
    func video() throws {
        var media = ScriptedMedia.clip()
        media.video?.frameCount = 100
        media.audio?.sampleCount = 192_000
        let (bench, item) = playing(media)
        let output = VideoOutput()
        item.add(output)
        bench.player.videoOutput = PlayerVideoOutput()
        let ready = Locked([Bool]())
        let token = bench.layer.observe(\.isReadyForDisplay) { layer, _ in
            ready.withLock { $0.append(layer.isReadyForDisplay) }
        }
        let video = try track(.video, of: item)
        video.isEnabled = false
        run(bench, until: 1000)
        #expect(!bench.layer.isReadyForDisplay)
        #expect(bench.player.videoOutput?.newest == nil)
        #expect(output.copyFrame(forItemTime: item.currentTime()) == nil)
        let (shown, decoded) = (bench.videoSink.numbers.count, bench.backend.counts.decoded)
        #expect(shown < 25)
        run(bench, until: 2000)
        #expect(bench.videoSink.numbers.count == shown)
        // One second has forty-seven audio packets, and no frame is decoded.
        #expect((46...48).contains(bench.backend.counts.decoded - decoded))
        #expect(bench.player.timeControlStatus == .playing)
        video.isEnabled = true
        bench.driver.run(atMost: 60)
        expectInStep(bench)
        let rest = Array(bench.videoSink.numbers[shown...])
        #expect(rest.count > 40 && rest == Array((100 - rest.count)..<100))
        #expect(bench.audioSink.samples == (0..<192_000).map { Int16(truncatingIfNeeded: $0) })
        #expect(bench.layer.isReadyForDisplay)
        #expect(ready.withLock { $0 } == [false, true])
        #expect(output.copyFrame(forItemTime: .ms(4000)) != nil)
        token.invalidate()
    }

    @Test(
        "With all tracks disabled time runs to the end, and nothing is shown or heard",
        arguments: [ScriptedMedia.clip(), .silentClip(), ScriptedMedia(audio: .init(sampleCount: 96_000))]
    )
    func everything(media: ScriptedMedia) throws {
        let (bench, item) = playing(media)
        for track in item.tracks { track.isEnabled = false }
        run(bench, until: 900)
        let (shown, heard) = (bench.videoSink.numbers.count, bench.audioSink.samples.count)
        #expect(shown < 25 && heard < 48_000)
        #expect(bench.stateLine == "1.0 playing")
        #expect(item.tracks.allSatisfy { !$0.isEnabled })
        #expect(!bench.layer.isReadyForDisplay)
        #expect(!item.canPlayReverse)
        run(bench, until: 1500)
        #expect(item.currentTime() == .ms(1500))
        #expect(bench.videoSink.numbers.count == shown)
        #expect(bench.audioSink.samples[heard...].allSatisfy { $0 == 0 })
        bench.driver.run(atMost: 60)
        #expect(bench.driver.now == HostTime(nanoseconds: 2_000_000_000))
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(item.status == .readyToPlay && item.errorLog().events.isEmpty)
    }

    @Test(
        "An only track that is disabled and enabled again is in sync, and the layer is ready for display again"
    )
    func onlyTrack() throws {
        let (bench, item) = playing(.silentClip(), until: 300)
        let video = try track(.video, of: item)
        video.isEnabled = false
        run(bench, until: 1000)
        let shown = bench.videoSink.numbers.count
        #expect(shown < 20 && !bench.layer.isReadyForDisplay)
        video.isEnabled = true
        bench.driver.run(atMost: 60)
        let rest = Array(bench.videoSink.numbers[shown...])
        #expect(rest.count > 10 && rest == Array((50 - rest.count)..<50))
        expectInStep(bench)
        #expect(bench.layer.isReadyForDisplay)
    }

    @Test(
        "A seek while paused with video disabled shows nothing, and enabling it shows the frame at the target"
    )
    func paused() throws {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let item = bench.load()
        let video = try track(.video, of: item)
        video.isEnabled = false
        #expect(!bench.layer.isReadyForDisplay)
        bench.seek("seek", to: .ms(1000))
        #expect(bench.takeLines(of: "seek ") == ["seek true"])
        #expect(bench.videoSink.numbers == [0])
        video.isEnabled = true
        #expect(bench.videoSink.numbers == [0, 25])
        #expect(bench.layer.isReadyForDisplay)
        #expect(item.currentTime() == .ms(1000))
    }

    @Test(
        "Only one track of a kind plays: enabling another one replaces it, also in a copy",
        .enabled(if: Fixture.areThere, "make fixtures")
    )
    func oneOfAKind() throws {
        let bench = PlayerTestBench.forFiles()
        let item = bench.load(Fixture.url("two-languages.mkv"))
        func audioTracks(_ item: PlayerItem) -> [PlayerItemTrack] {
            item.tracks.filter { $0.assetTrack.mediaType == .audio }
        }
        #expect(audioTracks(item).map(\.isEnabled) == [true, false])
        audioTracks(item)[1].isEnabled = true
        #expect(audioTracks(item).map(\.isEnabled) == [false, true])
        bench.driver.settle()
        #expect(audioTracks(item).map(\.isEnabled) == [false, true])
        let group = try #require(item.asset.mediaSelectionGroup(for: .audible))
        #expect(item.selectedMediaOption(in: group)?.track == audioTracks(item)[1].assetTrack)
        let copy = item.makeCopy()
        bench.load(copy)
        #expect(audioTracks(copy).map(\.isEnabled) == [false, true])
    }

    @Test("An earlier selection applies again when its track is enabled again")
    func formerChoice() throws {
        let bench = PlayerTestBench(.clip(), settlesByItself: true)
        let item = bench.load()
        let group = try #require(item.asset.mediaSelectionGroup(for: .audible))
        let audio = try track(.audio, of: item)
        audio.isEnabled = false
        #expect(!item.mediaSelectionCriteriaCanBeAppliedAutomatically(in: group))
        audio.isEnabled = true
        #expect(item.mediaSelectionCriteriaCanBeAppliedAutomatically(in: group))
    }

    @Test("A track that cannot be played stays disabled, and one of a released item has no effect")
    func without() throws {
        let bench = PlayerTestBench(.clip([.noDecoder(.audio)]))
        let item = bench.load()
        let audio = try track(.audio, of: item)
        audio.isEnabled = true
        #expect(!audio.isEnabled)
        var gone: PlayerItem? = bench.load(.silentClip())
        let left = try track(.video, of: gone!)
        bench.load(.silentClip())
        gone = nil
        left.isEnabled = false
        #expect(left.isEnabled)
    }

    @Test(
        "Key-value observers get a switch once, when playback follows, and observation tracking gets it at once"
    )
    func observed() throws {
        let bench = PlayerTestBench(.clip())
        let item = bench.load()
        let reported = Locked([[Bool]]())
        let token = item.observe(\.tracks, options: [.old, .new]) { _, change in
            let sides = [change.oldValue, change.newValue].compactMap(\.self)
            reported.withLock { $0 += sides.map { $0.map(\.isEnabled) } }
        }
        item.tracks[1].isEnabled = false
        #expect(reported.withLock { $0 }.isEmpty)
        bench.driver.settle()
        #expect(reported.withLock { $0 } == [[true, true], [true, false]])
        token.invalidate()
    }

    @Test("Audio cannot be enabled in a player without it, and an unplayable track reads as disabled")
    func playerWithoutAudioSwitched() throws {
        let silent = PlayerTestBench(.clip(), audio: .none)
        let item = silent.load()
        let audio = try track(.audio, of: item)
        #expect(!audio.isEnabled)
        audio.isEnabled = true
        #expect(!audio.isEnabled && item.tracks.map(\.isEnabled) == [true, false])
        silent.driver.settle()
        #expect(item.tracks.map(\.isEnabled) == [true, false])
        // The same applies if it was set without a player, or in a player with audio that releases the item at once.
        for isAttached in [true, false] {
            let (bench, item) = playing()
            if !isAttached { bench.player.replaceCurrentItem(with: nil) }
            let audio = try track(.audio, of: item)
            audio.isEnabled = false
            audio.isEnabled = true
            #expect(item.tracks.map(\.isEnabled) == [true, true])
            silent.load(item)
            #expect(item.tracks.map(\.isEnabled) == [true, false])
            silent.driver.run(seconds: 1)
            #expect(item.tracks.map(\.isEnabled) == [true, false])
            bench.load(item)
            #expect(item.tracks.map(\.isEnabled) == [true, true])
        }
    }

    @Test(
        "Repeated selections, selections of the present track, and selections during a seek work",
        arguments: 0..<5
    )
    func atOddMoments(seed: Int) throws {
        let bench = PlayerTestBench(seed: UInt64(seed))
        let item = bench.makeItem()
        let changeCount = Locked(0)
        let token = bench.player.onEvent { timed in
            if case .mediaSelectionChanged = timed.event { changeCount.withLock { $0 += 1 } }
        }
        item.disableTracks(ofType: .audio)
        bench.player.replaceCurrentItem(with: item)
        item.selectTrack(ScriptedMedia.audioTrack, ofType: .audio)
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 300_000_000))
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        item.disableTracks(ofType: .audio)
        item.selectTrack(ScriptedMedia.audioTrack, ofType: .audio)
        bench.driver.run(atMost: 60)
        #expect(Array(bench.videoSink.numbers.suffix(25)) == Array(25..<50))
        #expect(item.tracks.map(\.isEnabled) == [true, true])
        #expect(changeCount.withLock { $0 } >= 1)
        #expect(bench.player.timeControlStatus == .paused)
        token.invalidate()
    }

    @Test("If a loop restarts before the new track is ready, the track takes over in the next pass")
    func loop() {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        bench.player.repeatMode = .loop
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 1_900_000_000))
        item.disableTracks(ofType: .audio)
        bench.driver.run(until: HostTime(nanoseconds: 5_990_000_000))
        #expect(bench.videoSink.numbers == (0..<3).flatMap { _ in 0..<50 })
        #expect(bench.audioSink.samples.count >= 96_000 && bench.audioSink.samples.count < 130_000)
        #expect(item.tracks.map(\.isEnabled) == [true, false])
    }
}
