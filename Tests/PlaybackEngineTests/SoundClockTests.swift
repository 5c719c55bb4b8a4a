import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

@Suite("Sound of a simulated device as the clock")
struct SoundClockTests {
    @Test(
        "At a start the picture waits for the sound, whose beginning is heard; then both go together",
        arguments: [nil, 1, 2, 3] as [UInt64?]
    )
    func start(seed: UInt64?) {
        let rig = DeviceRig(seed: seed)
        rig.load(.clip(seconds: 3))
        rig.play()
        rig.driver.run(seconds: 1)
        let first = rig.device.heard.first
        #expect(first?.samples.prefix(3) == [0, 1, 2])
        // The timeline stood still until the device began.
        #expect(first?.start == HostTime(nanoseconds: 20_000_000))
        #expect(rig.time == 980)
        #expect(abs(rig.offset ?? 99) < 0.1)
        rig.driver.run(atMost: 60)
        #expect(rig.device.heard.count == 1)
        let samples = rig.device.heard.flatMap(\.samples)
        #expect(samples.prefix(144_000).elementsEqual((0..<144_000).map { Int16(truncatingIfNeeded: $0) }))
        #expect(rig.loop.snapshot.counters.audioUnderruns == 0)
        #expect(rig.sink.numbers == Array(0..<75))
        #expect(rig.device.calls.filter { if case .start = $0 { true } else { false } }.count == 1)
    }

    @Test(
        "What the device says of its delay is wrong: the picture waits, or leaps, once",
        arguments: [-0.015, 0.03, 0.2]
    )
    func wrongDelay(wrongBy: Double) {
        var setup = SimulatedAudioDevice.Setup()
        setup.wrongBy = wrongBy
        let rig = DeviceRig(setup)
        rig.load(.clip(seconds: 3))
        rig.play()
        rig.driver.run(seconds: 1)
        #expect(abs(rig.offset ?? 99) < 1)
        #expect(rig.device.heard.first?.samples.prefix(2) == [0, 1])
        #expect(rig.device.heard.count == 1)
    }

    @Test(
        "A device that plays far ahead of itself: pictures wait for it, but not for ever",
        arguments: [(0.8, false), (1.9, true), (3, false), (3, true)]
    )
    func farAhead(delay: Double, isAskedFirst: Bool) {
        var setup = SimulatedAudioDevice.Setup()
        setup.ahead = delay
        setup.isConnecting = isAskedFirst
        setup.isConnected = !isAskedFirst
        let rig = DeviceRig(setup)
        rig.load(.clip(seconds: 9))
        rig.play()
        if isAskedFirst {
            rig.driver.run(seconds: 0.1)
            rig.device.connect()
        }
        let moments = rig.run(seconds: 5)
        let begin = isAskedFirst ? 100.0 : 0
        if delay < 2.5 {
            #expect(moments.filter { $0.host <= begin + delay * 1000 }.allSatisfy { $0.time == 0 })
            #expect(rig.device.heard.first?.samples.prefix(2) == [0, 1])
            #expect(rig.loop.snapshot.audio.corrections == 0)
        } else {
            // Looked at each 5 ms.
            let started = moments.drop { $0.time == 0 }
            #expect((started.first?.host ?? 9999) <= begin + 10)
            #expect(started.dropFirst().map(\.step).allSatisfy { $0 > 4.9 && $0 < 5.1 })
            #expect(started.contains { $0.offset != nil })
        }
        #expect(moments.compactMap(\.offset).dropFirst(20).map(abs).max() ?? 99 < 3)
        #expect(rig.loop.snapshot.counters.audioUnderruns == 0)
    }

    @Test("Drift between device and host is learnt and followed", arguments: [-300.0, 80])
    func drift(drift: Double) {
        var setup = SimulatedAudioDevice.Setup()
        setup.drift = drift
        let rig = DeviceRig(setup)
        rig.load(.clip(seconds: 35))
        rig.play()
        let moments = rig.run(seconds: 34)
        #expect(moments.steps.lowerBound >= 0)
        #expect(moments.worstOffset < 1)
        #expect(abs(rig.offset ?? 99) < 0.05)
        let facts = rig.loop.snapshot.audio
        #expect(facts.isClock)
        #expect(abs(facts.drift - drift) < 10)
        #expect(facts.corrections == 0)
        // Each picture at its time, by the device's clock.
        for case .present(let number, _, _, let host) in rig.sink.calls where number > 600 {
            let due = (Double(number) * 0.04) / (1 + drift / 1e6) + 0.02
            #expect(abs(Double(host) / 1e9 - due) < 0.001)
        }
    }

    @Test("A pause keeps what is in hand; going on, nothing is heard twice and nothing is lost")
    func pause() {
        let rig = DeviceRig()
        rig.load(.clip(seconds: 3))
        rig.play()
        rig.driver.run(seconds: 0.5)
        rig.play(0)
        rig.driver.run(seconds: 7)
        #expect(rig.time == 480)
        rig.play()
        rig.driver.run(seconds: 0.5)
        #expect(abs(rig.offset ?? 99) < 1)
        rig.driver.run(atMost: 60)
        let samples = rig.device.heard.flatMap(\.samples)
        #expect(samples.prefix(144_000).elementsEqual((0..<144_000).map { Int16(truncatingIfNeeded: $0) }))
        #expect(!rig.device.calls.contains(.flush))
    }

    @Test("A seek flushes, and what is heard then belongs to the new place")
    func seek() {
        let rig = DeviceRig()
        rig.load(.clip(seconds: 5))
        rig.play()
        rig.driver.run(seconds: 1)
        rig.seek(1, to: .ms(3000))
        rig.driver.run(seconds: 0.5)
        #expect(rig.time == 3480)
        #expect(abs(rig.offset ?? 99) < 0.1)
        #expect(rig.device.heard.last?.samples.first == Int16(truncatingIfNeeded: 144_000))
    }

    @Test(
        "A device that is taken away leaves the host's clock; back again, the sound is in its place",
        arguments: 1...6
    )
    func lostAndBack(seed: UInt64) {
        var random = SplitMix64(seed)
        let away = Double.random(in: 0.05...4, using: &random)
        let rig = DeviceRig(seed: seed)
        rig.load(.clip(seconds: 20))
        rig.play()
        rig.driver.run(seconds: 1)
        rig.device.disconnect()
        let gone = rig.run(seconds: away)
        #expect(gone.steps.lowerBound > 4.9 && gone.steps.upperBound < 5.1, "seed \(seed), away \(away)")
        #expect(rig.loop.snapshot.audio.device == nil)
        rig.device.connect()
        let back = rig.run(seconds: 3)
        #expect(back.steps.lowerBound > 4.9 && back.steps.upperBound < 5.1, "seed \(seed), away \(away)")
        // Nothing is heard where it does not belong, and it is heard soon.
        #expect(back.worstOffset < 5, "seed \(seed), away \(away)")
        #expect(back.prefix(100).contains { $0.offset != nil }, "seed \(seed), away \(away)")
        #expect(abs(rig.offset ?? 99) < 3)
        #expect(rig.loop.snapshot.audio.isClock)
    }

    @Test("Suspended and back: the same")
    func suspended() {
        let rig = DeviceRig()
        rig.load(.clip(seconds: 20))
        rig.play()
        rig.driver.run(seconds: 1)
        rig.device.setSuspended(true)
        let gone = rig.run(seconds: 2)
        #expect(gone.steps.lowerBound > 4.9 && gone.steps.upperBound < 5.1)
        rig.device.setSuspended(false)
        let back = rig.run(seconds: 1)
        #expect(back.steps.lowerBound > 4.9 && back.steps.upperBound < 5.1)
        #expect(abs(rig.offset ?? 99) < 3)
    }

    @Test("Samples that come late: counted, and back in step within 100 ms, without a stop of the picture")
    func starved() {
        let rig = DeviceRig()
        rig.load(.clip(seconds: 10))
        rig.play()
        rig.driver.run(seconds: 2)
        rig.device.starve(seconds: 0.13)
        let starving = rig.run(seconds: 0.23)
        #expect(starving.steps.lowerBound > 4.9 && starving.steps.upperBound < 5.1)
        #expect(rig.run(seconds: 2).worstOffset < 3)
        #expect(rig.loop.snapshot.counters.audioUnderruns == 1)
        #expect(rig.sink.numbers == Array(0...rig.sink.numbers.count - 1))
    }

    @Test("Another device, 80 ms slower: the picture waits for it once")
    func moved() {
        let rig = DeviceRig()
        rig.load(.clip(seconds: 10))
        rig.play()
        rig.driver.run(seconds: 2)
        rig.device.setBuffer(seconds: 0.13)
        rig.driver.run(seconds: 1)
        #expect(rig.run(seconds: 2).worstOffset < 3)
        #expect(rig.loop.snapshot.counters.audioUnderruns == 0)
    }
}

extension HostTime {
    var seconds: Double { Double(nanoseconds) / 1e9 }
}
