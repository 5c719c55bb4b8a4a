import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

// Rule: device-clock
@Suite("A simulated audio device as the clock")
struct AudioClockTests {
    @Test(
        "At a start the video waits for the audio, whose beginning is heard, and then both stay synchronized",
        arguments: [nil, 1, 2, 3] as [UInt64?]
    )
    func start(seed: UInt64?) {
        let bench = EngineTestBench(audio: .device(), seed: seed)
        bench.load(.clip(seconds: 3))
        bench.play()
        bench.driver.run(seconds: 1)
        let first = bench.audioDevice.heard.first
        #expect(first?.samples.prefix(3) == [0, 1, 2])
        // The timeline was stopped until the device began.
        #expect(first?.start == HostTime(nanoseconds: 20_000_000))
        #expect(bench.time == 980)
        #expect(abs(bench.offset ?? 99) < 0.1)
        bench.driver.run(atMost: 60)
        #expect(bench.audioDevice.heard.count == 1)
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        #expect(samples.prefix(144_000).elementsEqual((0..<144_000).map { Int16(truncatingIfNeeded: $0) }))
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
        #expect(bench.videoSink.numbers == Array(0..<75))
        #expect(bench.audioDevice.calls.filter { if case .start = $0 { true } else { false } }.count == 1)
    }

    @Test(
        "If the device reports a wrong delay, the video waits or steps once",
        arguments: [-0.015, 0.03, 0.2]
    )
    func wrongDelay(wrongBy: Double) {
        var setup = SimulatedAudioDevice.Setup()
        setup.startDelayError = wrongBy
        let bench = EngineTestBench(audio: .device(setup))
        bench.load(.clip(seconds: 3))
        bench.play()
        bench.driver.run(seconds: 1)
        #expect(abs(bench.offset ?? 99) < 1)
        #expect(bench.audioDevice.heard.first?.samples.prefix(2) == [0, 1])
        #expect(bench.audioDevice.heard.count == 1)
    }

    @Test(
        "Video waits for a device with a long delay, but not indefinitely",
        arguments: [(0.8, false), (1.9, true), (3, false), (3, true)]
    )
    func farAhead(delay: Double, isAskedFirst: Bool) {
        var setup = SimulatedAudioDevice.Setup()
        setup.leadingSilence = delay
        setup.isConnecting = isAskedFirst
        setup.isConnected = !isAskedFirst
        let bench = EngineTestBench(audio: .device(setup))
        bench.load(.clip(seconds: 9))
        bench.play()
        if isAskedFirst {
            bench.driver.run(seconds: 0.1)
            bench.audioDevice.connect()
        }
        let moments = bench.run(seconds: 5)
        let begin = isAskedFirst ? 100.0 : 0
        if delay < 2.5 {
            #expect(moments.filter { $0.host <= begin + delay * 1000 }.allSatisfy { $0.time == 0 })
            #expect(bench.audioDevice.heard.first?.samples.prefix(2) == [0, 1])
            #expect(bench.loop.snapshot.audio.corrections == 0)
        } else {
            // The state is checked every 5 ms.
            let started = moments.drop { $0.time == 0 }
            #expect((started.first?.host ?? 9999) <= begin + 10)
            #expect(started.dropFirst().map(\.step).allSatisfy { $0 > 4.9 && $0 < 5.1 })
            #expect(started.contains { $0.offset != nil })
        }
        #expect(moments.compactMap(\.offset).dropFirst(20).map(abs).max() ?? 99 < 3)
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
    }

    @Test("Drift between device and host is learnt and followed", arguments: [-300.0, 80])
    func drift(drift: Double) {
        var setup = SimulatedAudioDevice.Setup()
        setup.drift = drift
        let bench = EngineTestBench(audio: .device(setup))
        bench.load(.clip(seconds: 35))
        bench.play()
        let moments = bench.run(seconds: 34)
        #expect(moments.steps.lowerBound >= 0)
        #expect(moments.worstOffset < 1)
        #expect(abs(bench.offset ?? 99) < 0.05)
        let facts = bench.loop.snapshot.audio
        #expect(facts.isClock)
        #expect(abs(facts.drift - drift) < 10)
        #expect(facts.corrections == 0)
        // Each frame is shown at its time by the device's clock.
        for case .present(let number, _, _, let host) in bench.videoSink.calls where number > 600 {
            let due = (Double(number) * 0.04) / (1 + drift / 1e6) + 0.02
            #expect(abs(Double(host) / 1e9 - due) < 0.001)
        }
    }

    @Test("A pause keeps the device's samples; afterwards no sample is repeated or lost")
    func pause() {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 3))
        bench.play()
        bench.driver.run(seconds: 0.5)
        bench.play(0)
        bench.driver.run(seconds: 7)
        #expect(bench.time == 480)
        bench.play()
        bench.driver.run(seconds: 0.5)
        #expect(abs(bench.offset ?? 99) < 1)
        bench.driver.run(atMost: 60)
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        #expect(samples.prefix(144_000).elementsEqual((0..<144_000).map { Int16(truncatingIfNeeded: $0) }))
        #expect(!bench.audioDevice.calls.contains(.flush))
    }

    @Test(
        "After a pause, audio and video start together at the time that is set",
        arguments: [0.3, 1, 1.9, 5]
    )
    func scheduledStart(delay: Double) {
        let bench = pausedBench()
        let (time, start) = (bench.time, bench.driver.now.advanced(by: Int64(delay * 1e9)))
        bench.loop.perform { $0.restart(1, at: nil, host: start) }
        let waiting = bench.run(seconds: delay)
        #expect(waiting.allSatisfy { $0.time == time && $0.offset == nil })
        let moments = bench.run(seconds: 1)
        #expect(abs(bench.time - time - 1000) < 1)
        #expect(moments.worstOffset < 1 && moments.allSatisfy { $0.offset != nil })
        #expect(bench.loop.snapshot.audio.corrections == 0)
    }

    /// Returns a bench that is paused after a second, with audio that the device has not played.
    private func pausedBench(volume: Float = 1) -> EngineTestBench {
        let bench = EngineTestBench(audio: .device(), makeStretcher: { PickingStretcher() })
        if volume != 1 { bench.loop.perform { $0.setVolume(volume) } }
        bench.load(.clip(seconds: 5))
        bench.play()
        bench.driver.run(seconds: 1)
        bench.play(0)
        bench.driver.run(seconds: 0.5)
        return bench
    }

    @Test("A start far ahead that is cancelled loses no audio")
    func cancelledStart() {
        let bench = pausedBench()
        let (time, start) = (bench.time, bench.driver.now.advanced(by: 5_000_000_000))
        bench.loop.perform { $0.restart(1, at: nil, host: start) }
        bench.driver.run(seconds: 1)
        bench.play(0)
        bench.driver.run(seconds: 0.5)
        let count = bench.audioDevice.heard.count
        bench.play()
        bench.driver.run(seconds: 1)
        let heard = bench.audioDevice.heard.dropFirst(count)
        #expect(heard.first?.samples.first == Int16(truncatingIfNeeded: Int((time * 48).rounded())))
        #expect(heard.count == 1 && abs(bench.offset ?? 99) < 1)
    }

    @Test("A rate that is set before a start far ahead applies at once, with audio")
    func rateBeforeStart() {
        let bench = pausedBench()
        let (time, start) = (bench.time, bench.driver.now.advanced(by: 5_000_000_000))
        bench.loop.perform { $0.restart(1, at: nil, host: start) }
        bench.driver.run(seconds: 1)
        bench.play(2)
        bench.driver.run(seconds: 0.5)
        let moments = bench.run(seconds: 0.5)
        // The timeline waits for the device, for at most 50 ms.
        #expect(bench.time > time + 1900 && bench.time < time + 2001)
        #expect(moments.worstOffset < 3 && moments.allSatisfy { $0.offset != nil })
    }

    @Test("A rate that is set before a start applies at once, without a device")
    func rateBeforeStartWithoutDevice() {
        let bench = EngineTestBench()
        bench.load(.clip(seconds: 5))
        bench.driver.run(seconds: 0.5)
        let start = bench.driver.now.advanced(by: 5_000_000_000)
        bench.loop.perform { $0.restart(1, at: nil, host: start) }
        bench.driver.run(seconds: 1)
        #expect(bench.time == 0)
        bench.play(2)
        bench.driver.run(seconds: 1)
        #expect(bench.time == 2000)
    }

    @Test("A device that is unmuted for the first time before a start far ahead plays nothing until then")
    func unmutedBeforeStart() {
        let bench = pausedBench(volume: 0)
        let start = bench.driver.now.advanced(by: 5_000_000_000)
        bench.loop.perform { $0.restart(1, at: nil, host: start) }
        bench.driver.run(seconds: 1)
        bench.loop.perform { $0.setVolume(1) }
        #expect(bench.run(seconds: 4).allSatisfy { $0.offset == nil })
        let moments = bench.run(seconds: 1)
        #expect(moments.worstOffset < 1 && moments.allSatisfy { $0.offset != nil })
    }

    @Test("After a start at a time in the past, audio and video continue as if they had played since then")
    func startInThePast() {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 5))
        bench.driver.run(seconds: 1)
        let start = bench.driver.now.advanced(by: -500_000_000)
        bench.loop.perform { $0.restart(1, at: .zero, host: start) }
        let moments = bench.run(seconds: 1)
        #expect(abs(bench.time - 1500) < 1)
        #expect(moments.dropFirst(20).allSatisfy { $0.offset.map { abs($0) < 3 } ?? false })
    }

    @Test("A seek flushes the device, and the audio after it belongs to the new position")
    func seek() {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 5))
        bench.play()
        bench.driver.run(seconds: 1)
        bench.seek(1, to: .ms(3000))
        bench.driver.run(seconds: 0.5)
        #expect(bench.time == 3480)
        #expect(abs(bench.offset ?? 99) < 0.1)
        #expect(bench.audioDevice.heard.last?.samples.first == Int16(truncatingIfNeeded: 144_000))
    }

    @Test("After a seek before playback begins, the device is the clock")
    func soughtBeforePlaying() {
        var setup = SimulatedAudioDevice.Setup()
        setup.startDelayError = 0.2
        let bench = EngineTestBench(audio: .device(setup))
        bench.load(.clip(seconds: 5))
        bench.driver.run(seconds: 0.1)
        bench.seek(1, to: .ms(1000))
        bench.driver.run(seconds: 0.1)
        bench.play()
        bench.driver.run(seconds: 1)
        let calls = bench.audioDevice.calls
        let start = calls.firstIndex { if case .start = $0 { true } else { false } }
        #expect(calls.prefix(start ?? 0).contains(.flush))
        #expect(bench.loop.snapshot.audio.isClock)
        #expect(abs(bench.offset ?? 99) < 1)
    }

    @Test(
        "Without its device the timeline follows the host's clock; a returning device plays in sync",
        arguments: 1...6
    )
    func lostAndBack(seed: UInt64) {
        var random = SplitMix64(seed)
        let away = Double.random(in: 0.05...4, using: &random)
        let bench = EngineTestBench(audio: .device(), seed: seed)
        bench.load(.clip(seconds: 20))
        bench.play()
        bench.driver.run(seconds: 1)
        bench.audioDevice.disconnect()
        let gone = bench.run(seconds: away)
        #expect(gone.steps.lowerBound > 4.9 && gone.steps.upperBound < 5.1, "seed \(seed), away \(away)")
        #expect(bench.loop.snapshot.audio.device == nil)
        bench.audioDevice.connect()
        let back = bench.run(seconds: 3)
        #expect(back.steps.lowerBound > 4.9 && back.steps.upperBound < 5.1, "seed \(seed), away \(away)")
        // All audio is heard at its position, and it is heard soon.
        #expect(back.worstOffset < 5, "seed \(seed), away \(away)")
        #expect(back.prefix(100).contains { $0.offset != nil }, "seed \(seed), away \(away)")
        #expect(abs(bench.offset ?? 99) < 3)
        #expect(bench.loop.snapshot.audio.isClock)
    }

    @Test("A device that is suspended and resumed does not disturb the timeline")
    func suspended() {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 20))
        bench.play()
        bench.driver.run(seconds: 1)
        bench.audioDevice.setSuspended(true)
        let gone = bench.run(seconds: 2)
        #expect(gone.steps.lowerBound > 4.9 && gone.steps.upperBound < 5.1)
        bench.audioDevice.setSuspended(false)
        let back = bench.run(seconds: 1)
        #expect(back.steps.lowerBound > 4.9 && back.steps.upperBound < 5.1)
        #expect(abs(bench.offset ?? 99) < 3)
    }

    @Test("An underrun is counted and corrected within 100 ms, without stopping the video")
    func starved() {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 10))
        bench.play()
        bench.driver.run(seconds: 2)
        bench.audioDevice.starve(seconds: 0.13)
        let starving = bench.run(seconds: 0.23)
        #expect(starving.steps.lowerBound > 4.9 && starving.steps.upperBound < 5.1)
        #expect(bench.run(seconds: 2).worstOffset < 3)
        #expect(bench.loop.snapshot.counters.audioUnderruns == 1)
        #expect(bench.videoSink.numbers == Array(0...bench.videoSink.numbers.count - 1))
    }

    @Test("With another device that is 80 ms slower, the video waits once")
    func moved() {
        let bench = EngineTestBench(audio: .device())
        bench.load(.clip(seconds: 10))
        bench.play()
        bench.driver.run(seconds: 2)
        bench.audioDevice.setBuffer(seconds: 0.13)
        bench.driver.run(seconds: 1)
        #expect(bench.run(seconds: 2).worstOffset < 3)
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
    }

    @Test("An item plays to its end whatever lead the device reports", arguments: [-5, 0, 9_223_372_036.5])
    func anyLead(seconds: Double) {
        var setup = SimulatedAudioDevice.Setup()
        setup.lead = seconds
        let bench = EngineTestBench(audio: .device(setup))
        bench.load(.clip(seconds: 1))
        bench.play()
        bench.driver.run(seconds: 3)
        #expect(abs(bench.time - 1000) < 0.1)
        #expect(bench.videoSink.numbers == Array(0..<25))
        #expect(bench.audioDevice.heard.first?.samples.prefix(3) == [0, 1, 2])
    }
}

extension HostTime {
    var seconds: Double { Double(nanoseconds) / 1e9 }
}
