import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

@Suite("Playing backward and stepping, on the manual driver")
struct ReverseTests {
    private func loaded(_ media: ScriptedMedia = PlaybackTests.clip, seed: UInt64? = nil) -> Rig {
        let rig = Rig(seed: seed)
        rig.load(media)
        rig.driver.run(atMost: 1)
        return rig
    }

    @Test(
        "From the end every picture once, in reverse order, each when the one after it begins",
        arguments: [nil, 1, 2, 3, 4, 5] as [UInt64?]
    )
    func backward(seed: UInt64?) {
        let rig = loaded(seed: seed)
        rig.seek(1, to: .positiveInfinity)
        rig.driver.run(atMost: 1)
        let start = rig.driver.now.nanoseconds
        rig.loop.send(.setRate(-1))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == [0] + (0..<50).reversed(), "seed \(String(describing: seed))")
        let times = rig.sink.calls.compactMap { call -> Int64? in
            if case .present(let number, _, _, let host) = call, number < 49, host > start {
                host
            } else {
                nil
            }
        }
        // The last picture is due for 40 ms, so the one before it comes 40 ms after the start, and so on.
        #expect(times == (1...49).map { start + Int64($0) * 40_000_000 })
        #expect(rig.lines("playedToEnd") == ["0.000000 playedToEnd at 0.000000"])
        #expect(rig.loop.snapshot.rate == 0)
        #expect(rig.driver.now.nanoseconds == start + 2_000_000_000)
        #expect(rig.sound.samples.isEmpty)
    }

    @Test("Twice as fast backward takes half the time and shows the same pictures")
    func fastBackward() {
        let rig = loaded()
        rig.seek(1, to: .positiveInfinity)
        rig.driver.run(atMost: 1)
        let start = rig.driver.now.nanoseconds
        rig.loop.send(.setRate(-2))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == [0] + (0..<50).reversed())
        #expect(rig.driver.now.nanoseconds == start + 1_000_000_000)
    }

    @Test("Turned round in the middle and back: no picture twice in a row, time goes on from where it was")
    func turning() {
        let rig = loaded()
        rig.loop.send(.setRate(1))
        rig.driver.run(until: HostTime(nanoseconds: 1_010_000_000))
        rig.loop.send(.setRate(-1))
        rig.driver.run(until: HostTime(nanoseconds: 1_530_000_000))
        #expect(rig.sink.numbers == Array(0...25) + (12..<25).reversed())
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == Array(0...25) + (12..<25).reversed() + Array(13..<50))
        #expect(rig.driver.now.nanoseconds == 1_530_000_000 + 1_510_000_000)
        #expect(rig.lines("timeJumped").isEmpty)
    }

    @Test("Steps are exact both ways, across key frames, and stop at the ends")
    func steps() {
        let rig = loaded()
        func step(_ count: Int) {
            rig.loop.send(.step(count))
            rig.driver.run(atMost: 1)
        }
        for _ in 0..<3 { step(1) }
        #expect(rig.sink.numbers == [0, 1, 2, 3])
        step(10)
        #expect(rig.sink.numbers.last == 13)
        #expect(rig.loop.snapshot.itemTime(at: rig.driver.now) == .ms(520))
        for _ in 0..<5 { step(-1) }
        #expect(Array(rig.sink.numbers.suffix(5)) == [12, 11, 10, 9, 8])
        step(-3)
        #expect(rig.sink.numbers.last == 5)
        step(-100)
        #expect(rig.sink.numbers.last == 0)
        #expect(rig.loop.snapshot.itemTime(at: rig.driver.now) == .zero)
        let count = rig.sink.numbers.count
        step(-1)
        #expect(rig.sink.numbers.count == count)
        step(1000)
        #expect(rig.sink.numbers.last == 49)
        step(-1)
        #expect(rig.sink.numbers.last == 48)
    }

    @Test("A step pauses; playing goes on from the picture that it shows, sound and all")
    func stepThenPlay() {
        let rig = loaded()
        rig.loop.send(.setRate(1))
        rig.driver.run(until: HostTime(nanoseconds: 410_000_000))
        rig.loop.send(.step(-1))
        rig.driver.run(atMost: 1)
        #expect(rig.loop.snapshot.rate == 0)
        #expect(rig.sink.numbers.last == 9)
        let before = rig.sound.samples.count
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == Array(0...10) + [9] + Array(10..<50))
        let after = Array(rig.sound.samples[before...])
        #expect(after == (17_280..<96_000).map { Int16(truncatingIfNeeded: $0) })
    }

    @Test("Backward in a loop: from the start it goes on at the end")
    func loopBackward() {
        let rig = loaded()
        rig.loop.send(.setRepeat(.loop))
        rig.seek(1, to: .positiveInfinity)
        rig.driver.run(atMost: 1)
        rig.loop.send(.setRate(-1))
        rig.driver.run(until: rig.driver.now.advanced(by: 5_000_000_000))
        #expect(Array(rig.sink.numbers.dropFirst().prefix(110)) == (0..<110).map { 49 - $0 % 50 })
        #expect(rig.lines("playedToEnd").count == 2)
    }

    @Test("Sound alone stands still at a negative rate, and steps do nothing")
    func soundAlone() {
        let rig = loaded(ScriptedMedia(audio: .init(sampleCount: 48_000)))
        rig.loop.send(.setRate(-1))
        rig.loop.send(.step(-1))
        rig.driver.run(atMost: 5)
        #expect(rig.driver.now == .zero)
        #expect(rig.lines("playedToEnd").isEmpty)
    }
}
