import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

// Rule: gapless
@Suite("Seams on a simulated audio device")
struct AudioSeamTests {
    static func numbers(_ count: Int) -> [Int16] { (0..<count).map { Int16(truncatingIfNeeded: $0) } }

    /// Returns the index and the values of the first sample that differs, or nil.
    static func firstDifference(_ samples: [Int16], _ expected: [Int16]) -> String? {
        guard samples.count >= expected.count else { return "\(samples.count) instead of \(expected.count)" }
        guard let index = expected.indices.first(where: { samples[$0] != expected[$0] }) else { return nil }
        let (near, wanted) = (samples[index...].prefix(5), expected[index...].prefix(5))
        return "from \(index): \(Array(near)) instead of \(Array(wanted))"
    }

    private func starts(_ bench: EngineTestBench) -> Int {
        bench.audioDevice.calls.filter { if case .start = $0 { true } else { false } }.count
    }

    @Test(
        "In a hundred passes of a loop no sample is lost or repeated, and the stream stays open",
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

    @Test("The items of a queue follow one another without a gap", arguments: [nil, 5] as [UInt64?])
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

    @Test("Buffers that are longer than the device's capacity are heard completely")
    func longBuffers() {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setEndAction(.advance))
        let media = ScriptedMedia(audio: .init(sampleCount: 240_000, packetLength: 120_000))
        for id in 1...2 { bench.insert(media, id: UInt64(id)) }
        bench.play()
        bench.driver.run(seconds: 10.1)
        #expect(bench.audioDevice.heard.count == 1)
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        #expect(Self.firstDifference(samples, (0..<2).flatMap { _ in Self.numbers(240_000) }) == nil)
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
    }

    @Test("If tracks end at different times, the longest determines the end, and silence fills the gap")
    func shorterAudio() {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip(seconds: 2, audioSeconds: 1.25))
        bench.play()
        let moments = bench.run(seconds: 9)
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        let pass = Self.numbers(60_000) + [Int16](repeating: 0, count: 36_000)
        #expect(Self.firstDifference(samples, (0..<4).flatMap { _ in pass }) == nil)
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
        // Time advanced without interruption, except for the start.
        #expect(moments.dropFirst(4).filter { $0.step < 4.99 }.count == 4)
        #expect(bench.loop.snapshot.audio.corrections == 0)
    }

    @Test(
        "Audio that was delivered ahead of a seam is heard at its time, without a gap, if the seam is earlier",
        arguments: [false, true]
    )
    func earlierSeam(loops: Bool) {
        var setup = SimulatedAudioDevice.Setup()
        setup.lead = 0.4
        let bench = EngineTestBench(audio: .device(setup))
        // The end is expected at 2 s, but the last frame cannot be decoded.
        var media = ScriptedMedia.clip(seconds: 2, audioSeconds: 1.9)
        media.faults = [.undecodable(frame: 49)]
        if loops {
            bench.loop.send(.setRepeat(.loop))
            bench.load(media)
        } else {
            bench.loop.send(.setEndAction(.advance))
            bench.insert(media, id: 1)
            bench.insert(.clip(seconds: 2), id: 2)
        }
        bench.play()
        // What the device has taken at the seam cannot be changed.
        bench.driver.run(seconds: 2.1)
        let moments = bench.run(seconds: 0.4)
        #expect(moments.worstOffset < 3)
        #expect(moments.allSatisfy { $0.offset != nil })
    }

    @Test("Audio that is longer than the video is played completely")
    func longerAudio() {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 1, audioSeconds: 1.5))
        bench.play()
        bench.driver.run(atMost: 60)
        #expect(bench.audioDevice.heard.flatMap(\.samples).prefix(72_000).elementsEqual(Self.numbers(72_000)))
        #expect(bench.lines("playedToEnd") == ["1.500000 playedToEnd at 1.500000"])
    }

    @Test("If looping is disabled just before the end, nothing of the next pass is heard")
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
        // Only samples that the device had already received at the end can be heard.
        #expect(samples.dropFirst(96_000 + 240).allSatisfy { $0 == 0 })
    }

    @Test("If the next item is removed from the queue just before the end, its audio is not heard")
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

    @Test(
        "If the next item is removed just before the end, the current one is heard to its last sample",
        arguments: [false, true]
    )
    func heardToEnd(isPaused: Bool) {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setEndAction(.advance))
        bench.insert(.clip(seconds: 2), id: 1)
        bench.insert(.clip(seconds: 2), id: 2)
        bench.play()
        bench.driver.run(seconds: 1.9)
        if isPaused {
            bench.play(0)
            bench.driver.run(seconds: 0.2)
        }
        bench.loop.send(.remove(ItemID(2)))
        bench.driver.run(seconds: 0.01)
        if isPaused { bench.play() }
        bench.driver.run(atMost: 60)
        let last = bench.audioDevice.heard.flatMap(\.samples).reversed().drop { $0 == 0 }.prefix(100)
        #expect(Array(last.reversed()) == Array(Self.numbers(96_000).suffix(100)))
    }

    @Test(
        "If the next item is removed just before the end, what the stretcher holds is heard",
        arguments: [false, true]
    )
    func heldToEnd(isPaused: Bool) {
        let bench = EngineTestBench(audio: .device(), makeStretcher: { HoldingStretcher() })
        bench.loop.send(.setEndAction(.advance))
        bench.insert(.clip(seconds: 2), id: 1)
        bench.insert(.clip(seconds: 2), id: 2)
        bench.play(2)
        bench.driver.run(seconds: 0.92)
        if isPaused {
            bench.play(0)
            bench.driver.run(seconds: 0.2)
        }
        bench.loop.send(.remove(ItemID(2)))
        bench.driver.run(seconds: 0.01)
        if isPaused { bench.play(2) }
        bench.driver.run(atMost: 60)
        let last = bench.audioDevice.heard.flatMap(\.samples).last { $0 != 0 } ?? 0
        // The stretcher holds more than 700 samples.
        let missing = Int(Int16(truncatingIfNeeded: 95_999)) - Int(last)
        #expect((0..<100).contains(missing))
    }

    @Test("If looping is enabled just before the end, a sink without a device receives each sample once")
    func loopedWithoutDevice() {
        let bench = benchBeforeSeam(EngineTestBench(isRealTime: true))
        bench.loop.send(.setRepeat(.loop))
        bench.driver.run(seconds: 0.5)
        bench.loop.send(.setRepeat(.once))
        bench.driver.run(atMost: 60)
        let expected = (0..<3).flatMap { _ in Self.numbers(96_000) }
        #expect(bench.audioSink.samples.count == expected.count)
        #expect(Self.firstDifference(bench.audioSink.samples, expected) == nil)
    }

    @Test("If the next item is removed just before the end, a sink without a device receives nothing of it")
    func takenOutWithoutDevice() {
        let bench = benchBeforeSeam(EngineTestBench(isRealTime: true))
        bench.loop.send(.remove(ItemID(2)))
        bench.driver.run(atMost: 60)
        #expect(bench.audioSink.samples == Self.numbers(96_000))
    }

    /// Returns a bench with two items of two seconds. With a device it is 70 ms before the second item follows, of which
    /// the device has received audio; with another sink it is 50 ms.
    private func benchBeforeSeam(
        _ bench: EngineTestBench = EngineTestBench(audio: .device()),
        _ configureSecond: (inout MediaItem) -> Void = { _ in }
    ) -> EngineTestBench {
        bench.loop.send(.setEndAction(.advance))
        bench.insert(.clip(seconds: 2), id: 1)
        bench.insert(.clip(seconds: 2), id: 2, configure: configureSecond)
        bench.play()
        bench.driver.run(seconds: 1.95)
        return bench
    }

    @Test("After a seek back just before the end, the next item is heard from its first sample")
    func soughtBackBeforeSeam() {
        let bench = benchBeforeSeam()
        bench.seek(1, to: .ms(1000))
        bench.driver.run(seconds: 2.5)
        let expected = Array(Self.numbers(96_000).dropFirst(48_000)) + Self.numbers(48_000)
        #expect(Self.firstDifference(bench.audioDevice.heard.last?.samples ?? [], expected) == nil)
    }

    /// The ways in which the item before a seam ends without reaching it.
    enum Departure: CaseIterable, Sendable { case skipped, paused, replaced }

    @Test(
        "If an item is left just before its end, the next one is heard from its first sample",
        arguments: Departure.allCases
    )
    func leftBeforeSeam(_ departure: Departure) {
        let bench = benchBeforeSeam()
        var expected = Self.numbers(48_000)
        switch departure {
        case .skipped: bench.loop.send(.advance)
        case .paused:
            bench.loop.send(.setEndAction(.pause))
            bench.driver.run(seconds: 0.5)
            bench.loop.send(.setEndAction(.advance))
            bench.loop.send(.advance)
            bench.play()
        case .replaced:
            bench.load(.clip(seconds: 1), id: 3)
            bench.driver.run(seconds: 1)
            expected += Self.numbers(48_000)
        }
        bench.driver.run(seconds: 1.5)
        #expect(bench.loop.snapshot.itemID == ItemID(2))
        #expect(Self.firstDifference(bench.audioDevice.heard.last?.samples ?? [], expected) == nil)
    }

    @Test("If looping is enabled just before the end, nothing of the next item is heard until it follows")
    func loopedBeforeSeam() {
        // Audio of the next item differs from that of the loop, because it begins later.
        let bench = benchBeforeSeam { $0.start = .ms(500) }
        bench.loop.send(.setRepeat(.loop))
        bench.driver.run(seconds: 0.1)
        #expect(bench.run(seconds: 0.3).worstOffset < 3)
        #expect(bench.loop.snapshot.itemID == ItemID(1))
    }

    @Test("If looping is disabled just before the end, the next item is heard and not the next pass")
    func loopEndedBeforeSeam() {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setEndAction(.advance))
        bench.insert(.clip(seconds: 2), id: 1)
        bench.insert(.clip(seconds: 2), id: 2) { $0.start = .ms(500) }
        bench.play()
        bench.driver.run(seconds: 1.5)
        bench.loop.send(.setRepeat(.loop))
        bench.driver.run(seconds: 0.45)
        bench.loop.send(.setRepeat(.once))
        bench.driver.run(seconds: 0.1)
        #expect(bench.loop.snapshot.itemID == ItemID(2))
        #expect(bench.run(seconds: 0.3).worstOffset < 3)
    }

    @Test(
        "If an item is reloaded while audio of the next pass is being delivered, the loop continues with its audio"
    )
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

    /// Returns the settings of an item whose audio begins with a ramp of one second.
    private func ramp(from start: Float, to end: Float) -> AudioSettings {
        var track = AudioMixInputParameters(trackID: ScriptedMedia.audioTrack)
        track.setVolumeRamp(
            from: start,
            to: end,
            timeRange: MediaTimeRange(start: .zero, duration: .ms(1000))
        )
        return AudioSettings(mix: AudioMix(inputParameters: [track]))
    }

    @Test("The volumes of an item do not affect the first samples of the next one")
    func mixOfLastItem() {
        let bench = EngineTestBench()
        bench.loop.send(.setEndAction(.advance))
        let settings = ramp(from: 0, to: 1)
        bench.insert(.clip(seconds: 2), id: 1) { $0.audioSettings = AudioSettingsSource { settings } }
        bench.insert(.clip(seconds: 2), id: 2)
        bench.play()
        bench.driver.run(atMost: 60)
        let samples = Array(bench.audioSink.samples.dropFirst(96_000))
        #expect(Self.firstDifference(samples, Self.numbers(96_000)) == nil)
    }

    @Test("A device receives the audio of the next item with the mix and the taps of that item")
    func settingsOfNextItem() {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setEndAction(.advance))
        let counts = Locked([0, 0])
        let taps = (0..<2).map { index in
            AudioTap(metering: { buffer in counts.withLock { $0[index] += buffer.frameCount } })
        }
        for index in 0..<2 {
            // The second item is muted.
            var settings = index == 0 ? AudioSettings() : ramp(from: 0, to: 0)
            settings.taps = [taps[index]]
            let source = AudioSettingsSource { [settings] in settings }
            bench.insert(.clip(seconds: 2), id: UInt64(index + 1)) { $0.audioSettings = source }
        }
        bench.play()
        bench.driver.run(seconds: 1.95)
        #expect(counts.withLock { $0[0] } == 96_000)
        #expect(counts.withLock { $0[1] } > 0)
        bench.driver.run(seconds: 2.5)
        #expect(counts.withLock { $0 } == [96_000, 96_000])
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        #expect(Self.firstDifference(samples, Self.numbers(96_000)) == nil)
        #expect(samples.dropFirst(96_000).allSatisfy { $0 == 0 })
    }

    /// The ways in which audio begins while an item without audio plays.
    enum FirstAudio: CaseIterable, Sendable { case nextItem, interstitial, selection }

    @Test(
        "The device is prepared before audio begins, although the current item has none",
        arguments: FirstAudio.allCases
    )
    func preparedDevice(_ firstAudio: FirstAudio) {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setEndAction(.advance))
        var item = bench.makeItem(.clip(seconds: 2))
        item.audio = .none
        let source = Locked(item)
        bench.loop.setItem(ItemID(1), MediaItemSource { source.withLock { $0 } })
        bench.play()
        bench.driver.run(seconds: 0.2)
        #expect(!bench.audioDevice.calls.contains(.prepare))
        switch firstAudio {
        case .nextItem: bench.insert(.clip(seconds: 2), id: 2)
        case .interstitial:
            let other = bench.makeItem(.clip(seconds: 2))
            bench.loop.interrupt(with: ItemID(2), MediaItemSource(other), rate: 1)
        case .selection:
            source.withLock { $0.audio = .automatic }
            bench.loop.reloadItem(ItemID(1))
        }
        bench.driver.run(seconds: 1.5)
        #expect(bench.audioDevice.calls.contains(.prepare))
    }

    @Test("If the player is muted, the clock continues")
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

    @Test("Without an audio track the host's clock runs at once")
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
        "Playback does not wait for a missing device; one that becomes available later plays in sync"
    )
    func lateDevice() {
        var setup = SimulatedAudioDevice.Setup()
        setup.isConnected = false
        let bench = EngineTestBench(audio: .device(setup))
        bench.load(.clip(seconds: 10))
        bench.play()
        let withoutDevice = bench.run(seconds: 3)
        #expect(withoutDevice.steps.lowerBound > 4.9 && withoutDevice.steps.upperBound < 5.1)
        bench.audioDevice.connect()
        bench.driver.run(seconds: 0.6)
        let withDevice = bench.run(seconds: 2)
        #expect(withDevice.steps.lowerBound > 4.9 && withDevice.steps.upperBound < 5.1)
        #expect(withDevice.worstOffset < 3)
    }

    @Test(
        "Playback waits for a device that answers soon, and the beginning of the audio is heard",
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

    @Test(
        "Playback waits half a second for a device that does not answer, and not at all for one that refuses"
    )
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

    /// Plays for a second, pauses, and begins to step.
    private func benchAfterStep(_ count: Int) -> EngineTestBench {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 10))
        bench.play()
        bench.driver.run(seconds: 1)
        bench.play(0)
        bench.loop.send(.step(count))
        return bench
    }

    @Test("A step by frames moves the audio together with the video")
    func stepped() {
        let bench = benchAfterStep(15)
        bench.driver.run(seconds: 1)
        bench.play()
        bench.driver.run(seconds: 0.4)
        #expect(bench.run(seconds: 1).worstOffset < 3)
    }

    @Test("After a step within the audio that the device has received, that audio is heard from the frame on")
    func steppedOnce() {
        let bench = benchAfterStep(1)
        bench.driver.run(seconds: 0.5)
        #expect(bench.time == 1000)
        bench.play()
        bench.driver.run(seconds: 0.8)
        let expected = Array(Self.numbers(84_000).dropFirst(48_000))
        #expect(Self.firstDifference(bench.audioDevice.heard.last?.samples ?? [], expected) == nil)
    }
}
