import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: ends")
struct EndTests {
    private func played(_ action: Player.ActionAtItemEnd, seconds: Double = 3) -> PlayerTestBench<Player> {
        let bench = PlayerTestBench(.silentClip())
        bench.player.actionAtItemEnd = action
        bench.load()
        _ = bench.takeLines()
        bench.player.play()
        bench.driver.run(seconds: seconds)
        return bench
    }

    @Test(
        "An item that ends before its first frame reports an end and no error",
        arguments: [0, 1, 30] as [Int64]
    )
    func endBeforeAnything(_ end: Int64) {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        item.forwardPlaybackEndTime = .ms(end)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(item.status == .readyToPlay)
        #expect(bench.takeLines(of: "end", "failed") == ["end"])
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test(
        "A loop without a duration ends after one pass, instead of repeating indefinitely",
        arguments: [(0, 1), (0, -1), (1, 1)] as [(Int64, Float)]
    )
    func loopOfNothing(_ end: Int64, _ rate: Float) {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let item = bench.makeItem()
        bench.player.repeatMode = .loop
        if rate > 0 {
            item.forwardPlaybackEndTime = MediaTime(value: end, timescale: 1_000_000_000)
        } else {
            item.reversePlaybackEndTime = .ms(2000)
        }
        bench.player.replaceCurrentItem(with: item)
        if rate < 0 { bench.seek("sought", to: .ms(2000)) }
        bench.player.rate = rate
        bench.driver.run(seconds: 1)
        #expect(bench.takeLines(of: "end").count == 1)
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test(
        "pause, and advance without a queue: end, then rate, then status are reported; the last frame stays visible"
    )
    func pause() {
        #expect(PlayerTestBench(.silentClip()).player.actionAtItemEnd == .pause)
        for action in [Player.ActionAtItemEnd.pause, .advance] {
            let bench = played(action)
            #expect(bench.stateLine == "0.0 paused")
            #expect(bench.player.currentItem != nil)
            #expect(bench.player.currentTime() == .ms(2000))
            #expect(bench.videoSink.numbers.last == 49)
            #expect(
                bench.takeLines(of: "end", "rate", "status") == [
                    "rate 0.0 -> 1.0 setRateCalled", "status playing", "end",
                    "rate 1.0 -> 0.0 itemEnded", "status paused",
                ]
            )
        }
    }

    @Test("none: the rate stays and time runs past the end; a different action then applies at once")
    func none() {
        let bench = played(.none)
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.player.currentTime() == .ms(3000))
        #expect(bench.takeLines(of: "end", "rate 1") == ["end"])
        bench.player.actionAtItemEnd = .pause
        bench.driver.settle()
        #expect(bench.stateLine == "0.0 paused")
        #expect(
            bench.takeLines(of: "end", "rate", "status") == ["rate 1.0 -> 0.0 itemEnded", "status paused"]
        )
    }

    @Test("A player that is paused past the end under none resumes past the end, and reports no second end")
    func pausedPastTheEnd() {
        let bench = played(.none)
        bench.player.pause()
        bench.driver.run(seconds: 1)
        #expect(bench.player.currentTime() == .ms(3000))
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.player.currentTime() == .ms(4000))
        #expect(bench.takeLines(of: "end") == ["end"])
    }

    @Test("play() at the end moves nothing and reports the end once more; after a seek it plays again")
    func playAtTheEnd() {
        let bench = played(.pause)
        _ = bench.takeLines()
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.takeLines(of: "end", "rate") == ["end"])
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.videoSink.numbers.count == 50)
        bench.seek("again", to: .zero)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.takeLines(of: "end", "again") == ["again true", "end"])
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0..<50))
    }

    @Test("A loop built from the action none and a seek to zero in the handler continues indefinitely")
    func classicLoop() {
        let bench = PlayerTestBench(.silentClip())
        let player = bench.player
        player.actionAtItemEnd = .none
        let token = player.onEvent { [weak player] event in
            guard case .didPlayToEndTime = event.event else { return }
            player?.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        bench.load()
        player.play()
        bench.driver.run(until: .ms(19_990))
        #expect(bench.videoSink.numbers == (0..<10).flatMap { _ in 0..<50 })
        #expect(bench.takeLines(of: "end").count == 9)
        #expect(bench.stateLine == "1.0 playing")
        token.invalidate()
    }

    @Test(
        "A seek to the end or past it reports the end once, with the last frame visible",
        arguments: [2000, 9000]
    )
    func seekToTheEnd(target: Int64) {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 0.2)
        bench.seek("seek", to: .ms(target))
        bench.driver.run(seconds: 5)
        #expect(bench.takeLines(of: "end", "seek ") == ["seek true", "end"])
        #expect(bench.videoSink.numbers.last == 49)
        #expect(bench.player.currentTime() == .ms(2000))
    }

    @Test("An end time ends the item there, and the duration does not change")
    func endTime() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        item.forwardPlaybackEndTime = .ms(1000)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.videoSink.numbers == Array(0..<25))
        #expect(bench.player.currentTime() == .ms(1000))
        #expect(item.duration == .ms(2000))
        #expect(bench.takeLines(of: "end") == ["end"])
    }

    @Test("An end time between two samples of audio does not change the duration")
    func endTimeBetweenSamples() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem(ScriptedMedia(audio: .init(sampleCount: 96_000)))
        item.forwardPlaybackEndTime = MediaTime(value: 1_000_009_000, timescale: 1_000_000_000)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(item.duration == .ms(2000))
    }

    @Test("The longer track determines the end, and each track is played completely")
    func uneven() {
        let bench = PlayerTestBench(.silentClip())
        bench.load(ScriptedMedia(video: .init(frameCount: 25), audio: .init(sampleCount: 96_000)))
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.videoSink.numbers == Array(0..<25))
        #expect(bench.audioSink.samples == (0..<96_000).map { Int16(truncatingIfNeeded: $0) })
        #expect(bench.player.currentTime() == .ms(2000))
        #expect(bench.takeLines(of: "end") == ["end"])
        let other = PlayerTestBench(.silentClip())
        other.load(ScriptedMedia(video: .init(frameCount: 50), audio: .init(sampleCount: 48_000)))
        other.player.play()
        other.driver.run(seconds: 5)
        #expect(other.videoSink.numbers == Array(0..<50))
        #expect(other.player.currentTime() == .ms(2000))
        #expect(other.takeLines(of: "end") == ["end"])
    }

    @Test("With an end time after the end of one track, the rest of the file is not read")
    func endTimeAfterTrack() {
        let bench = PlayerTestBench(.silentClip())
        // No packet after 13 s arrives in time: 47 of the audio, and 25 of the video in each second.
        let item = bench.makeItem(
            ScriptedMedia(
                video: .init(frameCount: 750),
                audio: .init(sampleCount: 48_000),
                faults: [.stall(atPacket: 372, until: 100)]
            )
        )
        item.forwardPlaybackEndTime = .ms(2000)
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(bench.player.currentTime() == .ms(2000))
        #expect(bench.videoSink.numbers == Array(0..<50))
    }

    @Test(
        "A seek past the end time shows the end, whatever its tolerance",
        arguments: [.zero, .positiveInfinity] as [MediaTime]
    )
    func seekPastEndTime(tolerance: MediaTime) {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem()
        item.forwardPlaybackEndTime = .ms(1000)
        bench.load(item)
        bench.seek("seek", to: .ms(1500), tolerance: tolerance)
        bench.driver.settle()
        #expect(bench.takeLines(of: "seek ") == ["seek true"])
        // The last key frame before the end, or the last frame.
        #expect(bench.videoSink.numbers.last == (tolerance == .zero ? 24 : 20))
        #expect(bench.player.currentTime() >= .ms(800))
    }

    @Test("Looping audio continues after a seek past its end time")
    func loopingAudioPastEndTime() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.makeItem(ScriptedMedia(audio: .init(sampleCount: 96_000)))
        item.forwardPlaybackEndTime = .ms(1000)
        bench.load(item)
        bench.player.repeatMode = .loop
        bench.seek("seek", to: .ms(1500))
        bench.player.play()
        bench.driver.run(seconds: 3.5)
        #expect(bench.takeLines(of: "end").count >= 3)
    }

    @Test("Truncated data causes one failure, and playing on fails again instead of reporting an end")
    func cutOff() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load(
            ScriptedMedia(video: .init(frameCount: 250), faults: [.cutOff(atPacket: 100)])
        )
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(
            bench.takeLines(of: "end", "failed", "rate 1") == [
                "failed truncated", "rate 1.0 -> 0.0 itemFailed",
            ]
        )
        #expect(bench.videoSink.numbers == Array(0..<100))
        #expect(item.status == .readyToPlay)
        bench.player.play()
        bench.driver.run(seconds: 5)
        #expect(bench.takeLines(of: "end", "failed") == ["failed truncated"])
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test("Each pass reports one outcome: played to its end, replaced, stopped or failed")
    func outcomes() {
        let bench = PlayerTestBench(.silentClip())
        let outcomes = Locked([String]())
        let token = bench.player.onEvent { timed in
            guard case .passEnded(_, let outcome) = timed.event else { return }
            let name = "\(outcome)".prefix { $0 != "(" }
            outcomes.withLock { $0.append(String(name)) }
        }
        func reported() -> [String] {
            outcomes.withLock { seen in
                defer { seen = [] }
                return seen
            }
        }
        let player = bench.player
        player.replaceCurrentItem(with: bench.makeItem())
        player.play()
        bench.driver.run(seconds: 1)
        player.replaceCurrentItem(with: bench.makeItem())
        bench.driver.run(seconds: 1)
        #expect(reported() == ["replaced"])
        player.seek(to: .ms(500))
        bench.driver.run(seconds: 5)
        #expect(reported() == ["playedToEnd"])
        player.seek(to: .zero)
        bench.driver.run(seconds: 1)
        player.replaceCurrentItem(with: nil)
        bench.driver.run(seconds: 1)
        #expect(reported() == ["stopped"], "the seek away from the end began another pass")
        player.replaceCurrentItem(with: bench.makeItem(.silentClip([.openFails(.unrecognizedFormat)])))
        bench.driver.run(seconds: 1)
        player.replaceCurrentItem(with: bench.makeItem(.silentClip([.lost(fromPacket: 10)])))
        player.play()
        bench.driver.run(seconds: 5)
        player.replaceCurrentItem(with: bench.makeItem())
        player.repeatMode = .loop
        player.play()
        bench.driver.run(seconds: 5)
        #expect(reported() == ["failed", "failed", "playedToEnd", "playedToEnd"])
        withExtendedLifetime(token) {}
    }
}
