import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

@Suite("Backward playback and steps on the manual driver")
struct ReverseTests {
    private func loaded(_ media: ScriptedMedia = .clip(), seed: UInt64? = nil) -> EngineTestBench {
        let bench = EngineTestBench(seed: seed)
        bench.load(media)
        bench.driver.run(atMost: 1)
        return bench
    }

    @Test(
        "Backward from the end, every frame is shown once, at the start time of the frame after it",
        arguments: [nil, 1, 2, 3, 4, 5] as [UInt64?]
    )
    func backward(seed: UInt64?) {
        let bench = loaded(seed: seed)
        bench.seek(1, to: .positiveInfinity)
        bench.driver.run(atMost: 1)
        let start = bench.driver.now.nanoseconds
        bench.loop.send(.setRate(-1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == [0] + (0..<50).reversed(), "seed \(String(describing: seed))")
        let times = bench.videoSink.calls.compactMap { call -> Int64? in
            if case .present(let number, _, _, let host) = call, number < 49, host > start {
                host
            } else {
                nil
            }
        }
        // The last frame lasts 40 ms, so the one before it is shown 40 ms after the start, and so on.
        #expect(times == (1...49).map { start + Int64($0) * 40_000_000 })
        #expect(bench.lines("playedToEnd") == ["0.000000 playedToEnd at 0.000000"])
        #expect(bench.loop.snapshot.rate == 0)
        #expect(bench.driver.now.nanoseconds == start + 2_000_000_000)
        #expect(bench.audioSink.samples.isEmpty)
    }

    @Test("At rate -2 backward playback takes half the time and shows the same frames")
    func fastBackward() {
        let bench = loaded()
        bench.seek(1, to: .positiveInfinity)
        bench.driver.run(atMost: 1)
        let start = bench.driver.now.nanoseconds
        bench.loop.send(.setRate(-2))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == [0] + (0..<50).reversed())
        #expect(bench.driver.now.nanoseconds == start + 1_000_000_000)
    }

    @Test("After changes of direction no frame is shown twice in a row, and the time continues")
    func turning() {
        let bench = loaded()
        bench.loop.send(.setRate(1))
        bench.driver.run(until: HostTime(nanoseconds: 1_010_000_000))
        bench.loop.send(.setRate(-1))
        bench.driver.run(until: HostTime(nanoseconds: 1_530_000_000))
        #expect(bench.videoSink.numbers == Array(0...25) + (12..<25).reversed())
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0...25) + (12..<25).reversed() + Array(13..<50))
        #expect(bench.driver.now.nanoseconds == 1_530_000_000 + 1_510_000_000)
        #expect(bench.lines("timeJumped").isEmpty)
    }

    @Test("A backward loop continues at the end after it has reached the start")
    func loopBackward() {
        let bench = loaded()
        bench.loop.send(.setRepeat(.loop))
        bench.seek(1, to: .positiveInfinity)
        bench.driver.run(atMost: 1)
        bench.loop.send(.setRate(-1))
        bench.driver.run(until: bench.driver.now.advanced(by: 5_000_000_000))
        #expect(Array(bench.videoSink.numbers.dropFirst().prefix(110)) == (0..<110).map { 49 - $0 % 50 })
        let end = "0.000000 playedToEnd at 0.000000"
        #expect(bench.lines("playedToEnd") == [end, end])
    }

    @Test("An item with audio only does not advance at a negative rate, and steps have no effect")
    func audioOnly() {
        let bench = loaded(ScriptedMedia(audio: .init(sampleCount: 48_000)))
        bench.loop.send(.setRate(-1))
        bench.loop.send(.step(-1))
        bench.driver.run(atMost: 5)
        #expect(bench.driver.now == .zero)
        #expect(bench.lines("playedToEnd").isEmpty)
    }

    @Test("A reverse end time ends backward playback with the frame that is due at that time")
    func endTime() {
        let bench = EngineTestBench()
        bench.load(.clip()) { $0.reverseEnd = .ms(1000) }
        bench.driver.run(atMost: 1)
        bench.seek(1, to: .ms(1500))
        bench.driver.run(atMost: 1)
        bench.loop.send(.setRate(-1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.dropFirst() == ArraySlice((25...37).reversed()))
        #expect(bench.lines("playedToEnd") == ["1.000000 playedToEnd at 1.000000"])
    }

    @Test("The end of forward playback has no effect backward from after it")
    func forwardEnd() throws {
        let media = ScriptedMedia(video: .init(frameCount: 50, frameRate: 25, keyInterval: 25))
        let start = EpochStart(
            epoch: Epoch(),
            firstWanted: .ms(1500),
            demuxTarget: .ms(1500),
            isReverse: true
        )
        let times = try VideoPackets.read(media, start, endTime: .ms(400)) { _ in }.times
        #expect(times == Array(stride(from: 1000, through: 1480, by: 40)))
    }
}
