import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

@Suite("Seams at a simulated sound device")
struct SoundSeamTests {
    private static func numbers(_ count: Int) -> [Int16] { (0..<count).map { Int16(truncatingIfNeeded: $0) } }

    /// Index and values of the first sample that is not as it should be.
    private static func firstDifference(_ samples: [Int16], _ expected: [Int16]) -> String? {
        guard samples.count >= expected.count else { return "\(samples.count) instead of \(expected.count)" }
        guard let index = expected.indices.first(where: { samples[$0] != expected[$0] }) else { return nil }
        let (near, wanted) = (samples[index...].prefix(5), expected[index...].prefix(5))
        return "from \(index): \(Array(near)) instead of \(Array(wanted))"
    }

    private func starts(_ bench: EngineTestBench) -> Int {
        bench.audioDevice.calls.filter { if case .start = $0 { true } else { false } }.count
    }

    @Test(
        "A hundred passes of a loop: not a sample lost or doubled, the stream stays open",
        arguments: [nil, 4] as [UInt64?]
    )
    func loop(seed: UInt64?) {
        let bench = EngineTestBench(audio: .device(), seed: seed)
        bench.loop.send(.setRepeat(.loop))
        bench.load(ScriptedMedia(audio: .init(sampleCount: 9_613)))
        bench.play()
        bench.driver.run(seconds: 21)
        #expect(bench.audioDevice.heard.count == 1)
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        #expect(samples.count >= 100 * 9_613)
        let expected = (0..<100).flatMap { _ in Self.numbers(9_613) }
        #expect(Self.firstDifference(samples, expected) == nil)
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
        #expect(starts(bench) == 1)
        #expect(!bench.audioDevice.calls.contains(.flush))
    }

    @Test("Items of a queue, one behind the other", arguments: [nil, 5] as [UInt64?])
    func queue(seed: UInt64?) {
        let bench = EngineTestBench(audio: .device(), seed: seed)
        bench.loop.send(.setEndAction(.advance))
        for id in 1...4 { bench.insert(.clip(seconds: 1), id: UInt64(id)) }
        bench.play()
        bench.driver.run(seconds: 4.1)
        #expect(bench.audioDevice.heard.count == 1)
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        #expect(Self.firstDifference(samples, (0..<4).flatMap { _ in Self.numbers(48_000) }) == nil)
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
        #expect(starts(bench) == 1)
    }

    @Test("Tracks that end apart: the longest decides, and there is silence for what is missing")
    func shorterSound() {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip(seconds: 2, audioSeconds: 1.25))
        bench.play()
        let moments = bench.run(seconds: 9)
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        let pass = Self.numbers(60_000) + [Int16](repeating: 0, count: 36_000)
        #expect(Self.firstDifference(samples, (0..<4).flatMap { _ in pass }) == nil)
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
        // Time ran through, but for the start.
        #expect(moments.dropFirst(4).filter { $0.step < 4.99 }.count == 4)
        #expect(bench.loop.snapshot.audio.corrections == 0)
    }

    @Test("Sound longer than the picture: all of it is heard")
    func longerSound() {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 1, audioSeconds: 1.5))
        bench.play()
        bench.driver.run(atMost: 60)
        #expect(bench.audioDevice.heard.flatMap(\.samples).prefix(72_000).elementsEqual(Self.numbers(72_000)))
        #expect(bench.lines("playedToEnd") == ["1.500000 playedToEnd at 1.500000"])
    }

    @Test("A loop switched off behind the last moment: nothing of the next pass is heard after the end")
    func switchedOff() {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setRepeat(.loop))
        bench.loop.send(.setEndAction(.none))
        bench.load(.clip(seconds: 2))
        bench.play()
        bench.driver.run(seconds: 1.95)
        bench.loop.send(.setRepeat(.once))
        bench.driver.run(seconds: 2)
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        // What was in the device's hand when the end came is all that can be heard of it.
        #expect(samples.dropFirst(96_000 + 240).allSatisfy { $0 == 0 })
    }

    @Test("The next item taken out of the queue behind the last moment: its sound is not heard")
    func takenOut() {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setEndAction(.advance))
        bench.insert(.clip(seconds: 2), id: 1)
        bench.insert(.clip(seconds: 2), id: 2)
        bench.play()
        bench.driver.run(seconds: 1.9)
        bench.loop.send(.remove(ItemID(2)))
        bench.driver.run(atMost: 60)
        #expect(bench.audioDevice.heard.flatMap(\.samples).count < 96_000 + 480)
        #expect(bench.lines("playedToEnd").count == 1)
    }

    @Test("An item opened anew while audio of the next lap is handed over: laps go on, with their audio")
    func reopenedBeforeSeam() {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip(seconds: 2))
        bench.play()
        bench.driver.run(seconds: 1.95)
        bench.play(0)
        bench.driver.run(seconds: 0.2)
        bench.loop.reloadItem(ItemID(1))
        bench.driver.run(seconds: 0.2)
        bench.play()
        bench.driver.run(seconds: 3)
        #expect(bench.lines("playedToEnd").count == 2)
        let moments = bench.run(seconds: 1)
        #expect(moments.worstOffset < 3)
        #expect(moments.allSatisfy { $0.offset != nil })
    }

    @Test("Muted, or at a volume of zero, the clock runs on")
    func muted() {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 3))
        bench.driver.run(seconds: 0.1)
        bench.loop.perform { $0.setVolume(0) }
        bench.play()
        bench.driver.run(seconds: 2)
        #expect(bench.time == 1980)
        #expect(bench.loop.snapshot.audio.isClock)
        #expect(!bench.audioDevice.heard.isEmpty)
        #expect(bench.audioDevice.heard.flatMap(\.samples).allSatisfy { $0 == 0 })
    }

    @Test("Without a sound track the host's clock runs, at once")
    func noTrack() {
        let bench = EngineTestBench(audio: .device())
        bench.load(ScriptedMedia(video: .init(frameCount: 50)))
        bench.play()
        bench.driver.run(seconds: 1)
        #expect(bench.time == 1000)
        #expect(!bench.loop.snapshot.audio.isClock)
        #expect(bench.audioDevice.heard.isEmpty)
    }

    @Test(
        "A device that is never there is waited for by nobody; one that comes late has the sound in its place"
    )
    func lateDevice() {
        var setup = SimulatedAudioDevice.Setup()
        setup.isConnected = false
        let bench = EngineTestBench(audio: .device(setup))
        bench.load(.clip(seconds: 10))
        bench.play()
        let alone = bench.run(seconds: 3)
        #expect(alone.steps.lowerBound > 4.9 && alone.steps.upperBound < 5.1)
        bench.audioDevice.connect()
        bench.driver.run(seconds: 0.6)
        let together = bench.run(seconds: 2)
        #expect(together.steps.lowerBound > 4.9 && together.steps.upperBound < 5.1)
        #expect(together.worstOffset < 3)
    }

    @Test(
        "A device that answers soon is waited for: its sound has its beginning",
        arguments: [0.02, 0.12, 0.4]
    )
    func answersSoon(after: Double) {
        var setup = SimulatedAudioDevice.Setup()
        setup.isConnected = false
        setup.isConnecting = true
        let bench = EngineTestBench(audio: .device(setup))
        bench.load(.clip(seconds: 10))
        bench.play()
        bench.driver.run(seconds: after)
        #expect(bench.time == 0)
        bench.audioDevice.connect()
        bench.driver.run(seconds: 1)
        #expect(bench.audioDevice.heard.first?.samples.prefix(3) == [0, 1, 2])
        #expect(bench.audioDevice.heard.count == 1)
        #expect(abs(bench.offset ?? 99) < 1)
        #expect(bench.time > 970)
    }

    @Test("A device that does not answer is waited for half a second, and one that says no not at all")
    func answersNever() {
        var setup = SimulatedAudioDevice.Setup()
        setup.isConnected = false
        setup.isConnecting = true
        let bench = EngineTestBench(audio: .device(setup))
        bench.load(.clip(seconds: 10))
        bench.play()
        bench.driver.run(seconds: 1)
        #expect(bench.time == 500)
        let other = EngineTestBench(audio: .device(setup))
        other.load(.clip(seconds: 10))
        other.play()
        other.driver.run(seconds: 0.1)
        other.audioDevice.disconnect()
        other.driver.run(seconds: 0.9)
        #expect(other.time >= 895)
    }

    @Test("A step of pictures leaves the sound where the picture is")
    func stepped() {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 10))
        bench.play()
        bench.driver.run(seconds: 1)
        bench.play(0)
        bench.loop.send(.step(15))
        bench.driver.run(seconds: 1)
        bench.play()
        bench.driver.run(seconds: 0.4)
        #expect(bench.run(seconds: 1).worstOffset < 3)
    }
}
