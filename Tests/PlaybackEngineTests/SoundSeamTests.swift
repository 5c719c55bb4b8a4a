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

    private func starts(_ rig: DeviceRig) -> Int {
        rig.device.calls.filter { if case .start = $0 { true } else { false } }.count
    }

    @Test(
        "A hundred passes of a loop: not a sample lost or doubled, the stream stays open",
        arguments: [nil, 4] as [UInt64?]
    )
    func loop(seed: UInt64?) {
        let rig = DeviceRig(seed: seed)
        rig.loop.send(.setRepeat(.loop))
        rig.load(ScriptedMedia(audio: .init(sampleCount: 9_613)))
        rig.play()
        rig.driver.run(seconds: 21)
        #expect(rig.device.heard.count == 1)
        let samples = rig.device.heard.flatMap(\.samples)
        #expect(samples.count >= 100 * 9_613)
        let expected = (0..<100).flatMap { _ in Self.numbers(9_613) }
        #expect(Self.firstDifference(samples, expected) == nil)
        #expect(rig.loop.snapshot.counters.audioUnderruns == 0)
        #expect(starts(rig) == 1)
        #expect(!rig.device.calls.contains(.flush))
    }

    @Test("Items of a queue, one behind the other", arguments: [nil, 5] as [UInt64?])
    func queue(seed: UInt64?) {
        let rig = DeviceRig(seed: seed)
        rig.loop.send(.setEndAction(.advance))
        for id in 1...4 { rig.insert(.clip(seconds: 1), id: UInt64(id)) }
        rig.play()
        rig.driver.run(seconds: 4.1)
        #expect(rig.device.heard.count == 1)
        let samples = rig.device.heard.flatMap(\.samples)
        #expect(Self.firstDifference(samples, (0..<4).flatMap { _ in Self.numbers(48_000) }) == nil)
        #expect(rig.loop.snapshot.counters.audioUnderruns == 0)
        #expect(starts(rig) == 1)
    }

    @Test("Tracks that end apart: the longest decides, and there is silence for what is missing")
    func shorterSound() {
        let rig = DeviceRig()
        rig.loop.send(.setRepeat(.loop))
        rig.load(.clip(seconds: 2, audioSeconds: 1.25))
        rig.play()
        let moments = rig.run(seconds: 9)
        let samples = rig.device.heard.flatMap(\.samples)
        let pass = Self.numbers(60_000) + [Int16](repeating: 0, count: 36_000)
        #expect(Self.firstDifference(samples, (0..<4).flatMap { _ in pass }) == nil)
        #expect(rig.loop.snapshot.counters.audioUnderruns == 0)
        // Time ran through, but for the start.
        #expect(moments.dropFirst(4).filter { $0.step < 4.99 }.count == 4)
        #expect(rig.loop.snapshot.audio.corrections == 0)
    }

    @Test("Sound longer than the picture: all of it is heard")
    func longerSound() {
        let rig = DeviceRig()
        rig.load(.clip(seconds: 1, audioSeconds: 1.5))
        rig.play()
        rig.driver.run(atMost: 60)
        #expect(rig.device.heard.flatMap(\.samples).prefix(72_000).elementsEqual(Self.numbers(72_000)))
        #expect(rig.lines("playedToEnd") == ["1.500000 playedToEnd at 1.500000"])
    }

    @Test("A loop switched off behind the last moment: nothing of the next pass is heard after the end")
    func switchedOff() {
        let rig = DeviceRig()
        rig.loop.send(.setRepeat(.loop))
        rig.loop.send(.setEndAction(.none))
        rig.load(.clip(seconds: 2))
        rig.play()
        rig.driver.run(seconds: 1.95)
        rig.loop.send(.setRepeat(.once))
        rig.driver.run(seconds: 2)
        let samples = rig.device.heard.flatMap(\.samples)
        // What was in the device's hand when the end came is all that can be heard of it.
        #expect(samples.dropFirst(96_000 + 240).allSatisfy { $0 == 0 })
    }

    @Test("The next item taken out of the queue behind the last moment: its sound is not heard")
    func takenOut() {
        let rig = DeviceRig()
        rig.loop.send(.setEndAction(.advance))
        rig.insert(.clip(seconds: 2), id: 1)
        rig.insert(.clip(seconds: 2), id: 2)
        rig.play()
        rig.driver.run(seconds: 1.9)
        rig.loop.send(.remove(ItemID(2)))
        rig.driver.run(atMost: 60)
        #expect(rig.device.heard.flatMap(\.samples).count < 96_000 + 480)
        #expect(rig.lines("playedToEnd").count == 1)
    }

    @Test("Muted, or at a volume of zero, the clock runs on")
    func muted() {
        let rig = DeviceRig()
        rig.load(.clip(seconds: 3))
        rig.driver.run(seconds: 0.1)
        rig.loop.perform { $0.setVolume(0) }
        rig.play()
        rig.driver.run(seconds: 2)
        #expect(rig.time == 1980)
        #expect(rig.loop.snapshot.audio.isClock)
        #expect(!rig.device.heard.isEmpty)
        #expect(rig.device.heard.flatMap(\.samples).allSatisfy { $0 == 0 })
    }

    @Test("Without a sound track the host's clock runs, at once")
    func noTrack() {
        let rig = DeviceRig()
        rig.load(ScriptedMedia(video: .init(frameCount: 50)))
        rig.play()
        rig.driver.run(seconds: 1)
        #expect(rig.time == 1000)
        #expect(!rig.loop.snapshot.audio.isClock)
        #expect(rig.device.heard.isEmpty)
    }

    @Test(
        "A device that is never there is waited for by nobody; one that comes late has the sound in its place"
    )
    func lateDevice() {
        var setup = SimulatedAudioDevice.Setup()
        setup.isConnected = false
        let rig = DeviceRig(setup)
        rig.load(.clip(seconds: 10))
        rig.play()
        let alone = rig.run(seconds: 3)
        #expect(alone.steps.lowerBound > 4.9 && alone.steps.upperBound < 5.1)
        rig.device.connect()
        rig.driver.run(seconds: 0.6)
        let together = rig.run(seconds: 2)
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
        let rig = DeviceRig(setup)
        rig.load(.clip(seconds: 10))
        rig.play()
        rig.driver.run(seconds: after)
        #expect(rig.time == 0)
        rig.device.connect()
        rig.driver.run(seconds: 1)
        #expect(rig.device.heard.first?.samples.prefix(3) == [0, 1, 2])
        #expect(rig.device.heard.count == 1)
        #expect(abs(rig.offset ?? 99) < 1)
        #expect(rig.time > 970)
    }

    @Test("A device that does not answer is waited for half a second, and one that says no not at all")
    func answersNever() {
        var setup = SimulatedAudioDevice.Setup()
        setup.isConnected = false
        setup.isConnecting = true
        let rig = DeviceRig(setup)
        rig.load(.clip(seconds: 10))
        rig.play()
        rig.driver.run(seconds: 1)
        #expect(rig.time == 500)
        let other = DeviceRig(setup)
        other.load(.clip(seconds: 10))
        other.play()
        other.driver.run(seconds: 0.1)
        other.device.disconnect()
        other.driver.run(seconds: 0.9)
        #expect(other.time >= 895)
    }

    @Test("A step of pictures leaves the sound where the picture is")
    func stepped() {
        let rig = DeviceRig()
        rig.load(.clip(seconds: 10))
        rig.play()
        rig.driver.run(seconds: 1)
        rig.play(0)
        rig.loop.send(.step(15))
        rig.driver.run(seconds: 1)
        rig.play()
        rig.driver.run(seconds: 0.4)
        #expect(rig.run(seconds: 1).worstOffset < 3)
    }
}

extension DeviceRig {
    /// Lines of the dump that hold `word`.
    func lines(_ word: String) -> [String] { dump.lines.filter { $0.contains(word) } }
}
