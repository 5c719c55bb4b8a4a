import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

@Suite("Playback of a script on the manual driver")
struct PlaybackTests {
    @Test(
        "Every frame is shown once, in order and exactly when it is due; every sample is played once",
        arguments: [nil, 1, 2, 3, 4, 5] as [UInt64?]
    )
    func playsThrough(seed: UInt64?) {
        let bench = EngineTestBench(seed: seed)
        bench.load(.clip())
        bench.loop.send(.setRate(1))
        #expect(bench.driver.run(atMost: 60))
        #expect(bench.videoSink.numbers == Array(0..<50), "seed \(String(describing: seed))")
        for case .present(let number, _, let pass, let host) in bench.videoSink.calls {
            #expect(pass == 0)
            #expect(host == Int64(number) * 40_000_000)
        }
        #expect(bench.audioSink.samples == (0..<96_000).map { Int16(truncatingIfNeeded: $0) })
        #expect(bench.lines("playedToEnd") == ["2.000000 playedToEnd at 2.000000"])
        #expect(bench.driver.now == HostTime(nanoseconds: 2_000_000_000))
    }

    @Test("Reports arrive in the expected order (golden text)")
    func goldenEvents() {
        let bench = EngineTestBench()
        bench.loop.send(.setRate(1))
        bench.load(.clip())
        bench.driver.run(atMost: 60)
        #expect(
            bench.lines.joined(separator: "\n") == """
                0.000000 rate 0.0 -> 1.0 (setRateCalled)
                0.000000 timeControl waitingToPlayAtSpecifiedRate noItemToPlay
                0.000000 item 1
                0.000000 timeControl waitingToPlayAtSpecifiedRate evaluatingBufferingRate
                0.000000 presentationSize 16x8
                0.000000 tracks
                0.000000 player readyToPlay
                0.000000 duration 2.000000
                0.000000 itemStatus readyToPlay
                0.000000 bufferEmpty false
                0.000000 likelyToKeepUp true
                0.000000 readyForDisplay true
                0.000000 timeControl playing
                0.000000 bufferFull true
                2.000000 playedToEnd at 2.000000
                2.000000 rate 1.0 -> 0.0 (itemEnded)
                2.000000 timeControl paused
                """
        )
    }

    @Test("A paused load shows the first frame and reads no more than the limits")
    func pausedLoad() {
        let bench = EngineTestBench()
        bench.load(.clip())
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == [0])
        #expect(bench.audioSink.samples.isEmpty)
        #expect(bench.loop.snapshot.itemStatus == .readyToPlay)
        #expect(bench.loop.snapshot.timeControl == .paused)
        #expect(bench.driver.now == .zero)
    }

    @Test("A pause stops the time, playback continues from it, and no frame is shown twice")
    func pauseAndResume() {
        let bench = EngineTestBench()
        bench.load(.clip())
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 0.5)
        bench.loop.send(.setRate(0))
        bench.driver.run(seconds: 10)
        #expect(bench.loop.snapshot.itemTime(at: bench.driver.now) == .ms(500))
        #expect(bench.audioSink.isPaused)
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(bench.driver.now == HostTime(nanoseconds: 12_000_000_000))
    }

    @Test("A rate changes the speed and nothing else", arguments: [0.5, 2, 4] as [Float])
    func rates(rate: Float) {
        let bench = EngineTestBench()
        bench.load(.clip())
        bench.loop.send(.setRate(rate))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(bench.driver.now == HostTime(nanoseconds: Int64(2_000_000_000 / Double(rate))))
    }

    @Test(
        "A loop is gapless: the first frame of the next pass is due when the last frame ends",
        arguments: [nil, 7, 8] as [UInt64?]
    )
    func loops(seed: UInt64?) {
        let bench = EngineTestBench(seed: seed)
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip())
        bench.loop.send(.setRate(1))
        bench.driver.run(until: HostTime(nanoseconds: 9_999_999_999))
        #expect(bench.videoSink.numbers == (0..<5).flatMap { _ in 0..<50 })
        for (index, call) in bench.videoSink.calls.compactMap({ call -> Int64? in
            if case .present(_, _, _, let host) = call { host } else { nil }
        }).enumerated() {
            #expect(call == Int64(index) * 40_000_000)
        }
        #expect(bench.videoSink.calls.filter { $0 == .flush }.isEmpty)
        #expect(bench.audioSink.samples.count >= 4 * 96_000)
        #expect(
            bench.audioSink.samples.prefix(96_000 * 4).elementsEqual((0..<4).flatMap { _ in Self.allSamples })
        )
        #expect(bench.lines("playedToEnd").count == 4)
        #expect(bench.lines("timeJumped").count == 4)
    }

    static let allSamples = (0..<96_000).map { Int16(truncatingIfNeeded: $0) }

    @Test(
        "A loop disabled during a pass ends with it; a loop enabled just before the end continues"
    )
    func loopToggled() {
        let bench = EngineTestBench()
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip())
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 3)
        bench.loop.send(.setRepeat(.once))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0..<50))
        #expect(bench.loop.snapshot.rate == 0)

        let other = EngineTestBench()
        other.load(.clip())
        other.loop.send(.setRate(1))
        other.driver.run(until: HostTime(nanoseconds: 1_999_999_999))
        other.loop.send(.setRepeat(.loop))
        other.driver.run(until: HostTime(nanoseconds: 3_999_999_999))
        #expect(other.videoSink.numbers == Array(0..<50) + Array(0..<50))
    }

    @Test("An end time cuts frames and samples exactly, also in a loop")
    func endTime() {
        let bench = EngineTestBench()
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip()) { $0.forwardEnd = .ms(1000) }
        bench.loop.send(.setRate(1))
        bench.driver.run(until: HostTime(nanoseconds: 2_999_999_999))
        #expect(bench.videoSink.numbers == (0..<3).flatMap { _ in 0..<25 })
        #expect(bench.audioSink.samples.count >= 2 * 48_000)
        #expect(bench.audioSink.samples.prefix(48_000).elementsEqual(Self.allSamples.prefix(48_000)))
        #expect(
            bench.audioSink.samples.dropFirst(48_000).prefix(48_000).elementsEqual(
                Self.allSamples.prefix(48_000)
            )
        )
    }

    @Test("The longer of two tracks determines the end")
    func unevenTracks() {
        let bench = EngineTestBench()
        bench.loop.send(.setRepeat(.loop))
        bench.load(ScriptedMedia(video: .init(frameCount: 25), audio: .init(sampleCount: 24_000)))
        bench.loop.send(.setRate(1))
        bench.driver.run(until: HostTime(nanoseconds: 2_999_999_999))
        #expect(bench.videoSink.numbers == (0..<3).flatMap { _ in 0..<25 })
        #expect(bench.audioSink.samples.count == 3 * 24_000)
    }

    @Test("An item with audio only plays and ends with its audio")
    func audioOnly() {
        let bench = EngineTestBench()
        bench.load(ScriptedMedia(audio: .init(sampleCount: 48_000)))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.audioSink.samples.count == 48_000)
        #expect(bench.driver.now == HostTime(nanoseconds: 1_000_000_000))
        #expect(bench.videoSink.numbers.isEmpty)
    }
}
