import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: Player.isScrubbing")
struct ScrubbingContractTests {
    private static let long = ScriptedMedia(
        video: .init(frameCount: 100, keyInterval: 25, bFrames: 2),
        audio: .init(sampleCount: 192_000)
    )

    private func loaded(_ media: ScriptedMedia = long, seed: UInt64? = nil) -> PlayerTestBench<Player> {
        let bench = PlayerTestBench(media, seed: seed)
        bench.load()
        _ = bench.takeLines()
        return bench
    }

    @Test("The property is false by default, and a change is reported once")
    func property() {
        let bench = loaded()
        #expect(!bench.player.isScrubbing)
        bench.player.isScrubbing = true
        bench.player.isScrubbing = true
        #expect(bench.player.isScrubbing)
        bench.driver.settle()
        bench.player.isScrubbing = false
        bench.driver.settle()
        #expect(bench.takeLines() == ["scrubbingChanged", "scrubbingChanged"])
    }

    @Test(
        "A seek shows the key frame, then the exact frame, and finishes after that",
        arguments: [nil, 1, 2] as [UInt64?]
    )
    func twoFrames(seed: UInt64?) {
        let bench = loaded(seed: seed)
        bench.player.isScrubbing = true
        let sink = bench.videoSink
        let shown = Locked([Int]())
        bench.player.seek(to: .ms(2720), toleranceBefore: .zero, toleranceAfter: .zero) { finished in
            shown.withLock { $0 = finished ? sink.numbers : [] }
        }
        #expect(bench.player.currentTime() == .ms(2720))
        bench.driver.settle()
        #expect(shown.withLock { $0 } == [0, 50, 68])
        #expect(bench.player.currentTime() == .ms(2720))
        bench.player.isScrubbing = false
        bench.driver.settle()
        #expect(bench.videoSink.numbers == [0, 50, 68])
        #expect(bench.player.currentTime() == .ms(2720))
    }

    @Test(
        "Events and their order are the same with and without scrubbing",
        arguments: [nil, 1, 2, 3] as [UInt64?]
    )
    func events(seed: UInt64?) {
        let lines = [false, true].map { isScrubbing in
            let bench = loaded(seed: seed)
            let output = VideoOutput()
            bench.currentItem.add(output)
            bench.player.isScrubbing = isScrubbing
            bench.driver.settle()
            for (number, time) in [2720, 400, 3960, 480, 4000, 0].enumerated() {
                bench.seek("seek \(number)", to: .ms(Int64(time)))
                bench.driver.settle()
                #expect(
                    output.copyFrame(forItemTime: .ms(Int64(time)))?.displayTime
                        == .ms(Int64(min(3960, time)))
                )
            }
            bench.currentItem.step(byCount: 3)
            bench.driver.settle()
            bench.player.isScrubbing = false
            bench.driver.settle()
            bench.player.play()
            bench.driver.run(atMost: 60)
            #expect(bench.audioSink.samples.count == 192_000 - 3 * 1920)
            return bench.takeLines().filter { $0 != "scrubbingChanged" }
        }
        #expect(lines[0] == lines[1])
        #expect(lines[0].filter { $0.hasPrefix("seek ") }.count == 6)
    }

    @Test("Of rapid seeks each is answered once, and the frame of the last one stays", arguments: 1...10)
    func rapid(seed: Int) {
        let bench = loaded(seed: UInt64(seed))
        bench.player.isScrubbing = true
        for number in 1...60 {
            bench.seek("seek \(number)", to: .ms(Int64(number * 61)))
            for _ in 0..<20 { bench.driver.step() }
        }
        bench.player.isScrubbing = false
        bench.driver.settle()
        let answers = bench.takeLines(of: "seek ")
        #expect(answers.map { $0.split(separator: " ")[1] } == (1...60).map { "\($0)" })
        #expect(answers.last == "seek 60 true")
        #expect(bench.videoSink.numbers.last == 91)
        #expect(bench.videoSink.numbers.count > 10)
        #expect(bench.player.currentTime() == .ms(3660))
    }

    @Test("The requested rate waits until scrubbing ends")
    func rate() {
        let bench = loaded()
        bench.player.play()
        bench.driver.run(seconds: 0.4)
        bench.player.isScrubbing = true
        bench.driver.run(seconds: 3)
        #expect(bench.player.rate == 1)
        #expect(bench.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(bench.videoSink.numbers == Array(0...10))
        bench.seek("seek", to: .ms(2720))
        bench.driver.run(seconds: 3)
        #expect(bench.videoSink.numbers.suffix(2) == [50, 68])
        let heard = bench.audioSink.samples.count
        bench.player.isScrubbing = false
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.suffix(32).elementsEqual(68..<100))
        let samples = bench.audioSink.samples.dropFirst(heard)
        #expect(samples.elementsEqual((68 * 1920..<192_000).map { Int16(truncatingIfNeeded: $0) }))
        #expect(bench.stateLine == "0.0 paused")
    }

    @Test("A seek with infinite tolerances shows its key frame only, and audio seeks as usual")
    func others() {
        let bench = loaded()
        bench.player.isScrubbing = true
        bench.player.seek(to: .ms(2720))
        bench.driver.settle()
        #expect(bench.videoSink.numbers == [0, 50])
        let sound = loaded(ScriptedMedia(audio: .init(sampleCount: 192_000)))
        sound.player.isScrubbing = true
        sound.seek("seek", to: .ms(1000))
        sound.driver.settle()
        #expect(sound.takeLines(of: "seek ") == ["seek true"])
        sound.player.isScrubbing = false
        sound.player.play()
        sound.driver.run(atMost: 60)
        #expect(
            sound.audioSink.samples.elementsEqual((48_000..<192_000).map { Int16(truncatingIfNeeded: $0) })
        )
    }

    @Test(
        "Scrubbing that begins before there is an item applies to its start position and to items that follow"
    )
    func beforeItem() {
        let bench = PlayerTestBench(Self.long)
        bench.player.isScrubbing = true
        let item = bench.makeItem()
        item.seek(to: .ms(2720), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.load(item)
        #expect(bench.videoSink.numbers.last == 68)
        bench.load(bench.makeItem())
        bench.seek("seek", to: .ms(1800))
        bench.driver.settle()
        #expect(bench.videoSink.numbers.suffix(3) == [0, 25, 45])
        bench.player.isScrubbing = false
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.suffix(55).elementsEqual(45..<100))
        #expect(
            bench.audioSink.samples.suffix(192_000 - 45 * 1920).first == Int16(truncatingIfNeeded: 45 * 1920)
        )
    }

    @Test("Changes of tracks and of ends while scrubbing take effect")
    func tracks() {
        let bench = loaded()
        bench.player.isScrubbing = true
        bench.seek("seek", to: .ms(2720))
        bench.driver.settle()
        bench.currentItem.forwardPlaybackEndTime = .ms(3200)
        bench.currentItem.tracks.first { $0.assetTrack.mediaType == .audio }?.isEnabled = false
        bench.driver.settle()
        bench.seek("seek", to: .ms(1800))
        bench.driver.settle()
        #expect(bench.videoSink.numbers.last == 45)
        bench.player.isScrubbing = false
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.suffix(35).elementsEqual(45..<80))
        #expect(bench.audioSink.samples.isEmpty)
        #expect(bench.takeLines(of: "end") == ["end"])
    }
}
