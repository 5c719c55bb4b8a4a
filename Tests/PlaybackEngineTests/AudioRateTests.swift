import MediaCore
import PlaybackEngine
import PlayheadTesting
import TestSupport
import Testing

@Suite("Rate changes while a simulated device plays")
struct AudioRateTests {
    private func playing(_ setup: SimulatedAudioDevice.Setup = .init(), seed: UInt64? = nil)
        -> EngineTestBench
    {
        let bench = EngineTestBench(audio: .device(setup), seed: seed, makeStretcher: { PickingStretcher() })
        bench.load(.clip(seconds: 30))
        bench.play()
        bench.driver.run(seconds: 1)
        return bench
    }

    @Test(
        "A rate change is heard within 100 ms, without a gap, a flush or a correction, and the video follows",
        arguments: ([nil, 1, 2, 3] as [UInt64?]).samples,
        [[2], [0.5], [2, 1], [1.5, 0.75, 3, 1]] as [[Float]]
    )
    func change(seed: UInt64?, rates: [Float]) {
        let bench = playing(seed: seed)
        var rate: Float = 1
        let began = bench.audioDevice.calls.count
        for next in rates {
            bench.play(next)
            let (low, high) = (Double(min(rate, next)) * 5, Double(max(rate, next)) * 5)
            let moments = bench.run(seconds: 1)
            // Never faster than the higher rate, and never slower than the lower one.
            #expect(moments.steps.lowerBound > low - 0.1 && moments.steps.upperBound < high + 0.1)
            #expect(moments.apart.count <= 2, "to \(next): \(moments.apart)")
            #expect(moments.allSatisfy { $0.offset != nil })
            // The samples that the device had received, 50 ms, and a margin of 40 ms.
            let heard = moments.firstIndex { abs($0.step - Double(next) * 5) < 0.05 } ?? 999
            #expect(heard <= 20, "to \(next): after \(heard * 5) ms")
            rate = next
        }
        let calls = bench.audioDevice.calls.dropFirst(began)
        #expect(!calls.contains { if case .start = $0 { true } else { $0 == .flush } })
        #expect(!calls.contains { if case .skip = $0 { true } else { false } })
        #expect(bench.audioDevice.heard.count == 1)
        #expect(bench.loop.snapshot.audio.corrections == 0)
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
        #expect(bench.loop.snapshot.audio.isClock)
    }

    @Test(
        "Many rate changes in a row, as from a slider, keep audio and video synchronized",
        arguments: (1...8 as ClosedRange<UInt64>).samples
    )
    func storm(seed: UInt64) {
        var random = SplitMix64(seed)
        let bench = playing(seed: seed)
        for _ in 0..<60 {
            bench.play(Float.random(in: 0.5...3, using: &random))
            let moments = bench.run(seconds: Double(Int.random(in: 1...30, using: &random)) * 0.005)
            #expect(moments.steps.lowerBound > 2.4 && moments.steps.upperBound < 15.1, "seed \(seed)")
            // Except where the script's sample values, which show the time, wrap around and are faded.
            #expect(moments.apart.filter { abs($0) > 5 }.count <= 2, "seed \(seed): \(moments.apart)")
        }
        bench.play(1)
        _ = bench.run(seconds: 1)
        #expect(abs(bench.offset ?? 99) < 2, "seed \(seed)")
        #expect(bench.audioDevice.heard.count == 1, "seed \(seed)")
        #expect(!bench.audioDevice.calls.dropFirst(8).contains(.flush), "seed \(seed)")
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0, "seed \(seed)")
    }

    @Test("A device that cannot discard samples changes its rate later, and just as exactly")
    func withoutRewinding() {
        var setup = SimulatedAudioDevice.Setup()
        setup.canRewind = false
        let bench = playing(setup)
        bench.play(2)
        let moments = bench.run(seconds: 1)
        #expect(moments.steps.lowerBound > 4.9 && moments.steps.upperBound < 10.1)
        #expect(moments.apart.count <= 2)
        #expect(bench.audioDevice.heard.count == 1)
        #expect(bench.loop.snapshot.audio.corrections == 0)
    }

    @Test(
        "Several rate changes before the first one is heard are exact on a device that cannot discard samples",
        arguments: [[1.25, 4], [3], [2, 0.5, 1.5]] as [[Float]],
        [0.02, 0.1]
    )
    func withoutRewindingAgain(rates: [Float], wait: Double) {
        var setup = SimulatedAudioDevice.Setup()
        setup.canRewind = false
        let bench = playing(setup)
        for rate in rates {
            bench.play(rate)
            bench.driver.run(seconds: wait)
        }
        bench.play(1)
        let moments = bench.run(seconds: 2)
        #expect(moments.steps.upperBound < Double(rates.max() ?? 1) * 5 + 0.1)
        #expect(abs(bench.offset ?? 99) < 0.1)
        #expect(bench.audioDevice.heard.count == 1)
        #expect(bench.loop.snapshot.audio.corrections == 0)
    }

    @Test(
        "After a pause, playback at another rate uses the new rate from the start",
        arguments: [(1, 2), (2, 1), (2, 0.5)] as [(Float, Float)],
        [true, false]
    )
    func whilePaused(rates: (Float, Float), canRewind: Bool) {
        var setup = SimulatedAudioDevice.Setup()
        setup.canRewind = canRewind
        let bench = playing(setup)
        bench.play(rates.0)
        bench.driver.run(seconds: 1)
        bench.play(0)
        bench.driver.run(seconds: 0.5)
        bench.play(rates.1)
        let moments = bench.run(seconds: 1)
        #expect(moments.steps.upperBound < Double(rates.1) * 5 + 0.1)
        #expect(moments.worstOffset < 1)
        #expect(bench.loop.snapshot.audio.corrections == 0)
    }

    @Test("After a pause before a rate change is heard, playback uses the new rate from the start")
    func pausedBeforeChange() {
        let bench = playing()
        bench.play(2)
        bench.driver.run(seconds: 0.02)
        bench.play(0)
        bench.driver.run(seconds: 0.5)
        bench.play(2)
        let moments = bench.run(seconds: 1)
        #expect(moments.worstOffset < 1)
        #expect(bench.loop.snapshot.audio.corrections == 0)
    }

    @Test("A rate change just after a seek needs at most one correction", arguments: [0.005, 0.02, 0.05])
    func afterSeek(wait: Double) {
        let bench = playing()
        bench.seek(1, to: .ms(5000))
        bench.driver.run(seconds: wait)
        bench.play(2)
        let moments = bench.run(seconds: 1)
        #expect(moments.dropFirst(2).steps.upperBound < 10.1)
        #expect(abs(bench.offset ?? 99) < 3)
        #expect(bench.loop.snapshot.audio.corrections <= 1)
    }

    @Test("At the seam of a loop, audio of the next pass that was already delivered gets the new rate too")
    func atASeam() {
        let bench = EngineTestBench(audio: .device(), makeStretcher: { PickingStretcher() })
        bench.load(.clip(seconds: 2))
        bench.loop.send(.setRepeat(.loop))
        bench.play()
        bench.driver.run(seconds: 1.95)
        bench.play(0.5)
        let moments = bench.run(seconds: 1)
        // At the seam, the time of a sample is ambiguous by one pass.
        #expect(moments.filter { (20..<1980).contains($0.time) }.apart.count <= 2)
        #expect(moments.contains { (20..<1000).contains($0.time) && $0.step == 2.5 })
        #expect(bench.audioDevice.heard.count == 1)
        #expect(bench.loop.snapshot.audio.corrections == 0)
    }

    @Test("Audio that the stretcher holds at the start is heard when the timeline begins")
    func heldAtTheStart() {
        let bench = EngineTestBench(audio: .device(), makeStretcher: { HoldingStretcher() })
        bench.load(.clip(seconds: 2))
        bench.play(2)
        bench.driver.run(seconds: 0.5)
        #expect(bench.audioDevice.heard.first?.samples.prefix(2) == [0, 2])
    }

    /// The ways in which audio follows that of a pass.
    enum Seam: CaseIterable, Sendable { case loop, queue }

    @Test(
        "The end of a pass, which the stretcher holds until the next one begins, is heard in its place",
        arguments: Seam.allCases
    )
    func heldAtASeam(_ seam: Seam) {
        let bench = EngineTestBench(audio: .device(), makeStretcher: { HoldingStretcher() })
        switch seam {
        case .loop:
            bench.load(.clip(seconds: 2))
            bench.loop.send(.setRepeat(.loop))
        case .queue:
            bench.loop.send(.setEndAction(.advance))
            bench.insert(.clip(seconds: 2), id: 1)
            bench.insert(.clip(seconds: 2), id: 2)
        }
        bench.play(2)
        bench.driver.run(seconds: 1.9)
        // Each second sample is heard.
        let pass = stride(from: 0, to: 96_000, by: 2).map { Int16(truncatingIfNeeded: $0) }
        #expect(bench.audioDevice.heard.count == 1)
        let samples = bench.audioDevice.heard.first?.samples ?? []
        let expected = pass + pass.prefix(24_000)
        #expect(AudioSeamTests.firstDifference(samples, expected) == nil)
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
    }

    @Test(
        "Audio that silence follows is heard to its end in its place",
        arguments: [
            // The audio ends long before the video, and the file has been read to its end by then, or not.
            (.clip(seconds: 4, audioSeconds: 1), []),
            (.clip(seconds: 60, audioSeconds: 1), [.throttled(speed: 20)]),
            // The second of four packets is missing.
            (
                ScriptedMedia(audio: .init(sampleCount: 192_000, packetLength: 48_000)),
                [.unreadable(packet: 1)]
            ),
        ] as [(ScriptedMedia, [ScriptedMedia.Fault])]
    )
    func heldBeforeSilence(media: ScriptedMedia, faults: [ScriptedMedia.Fault]) {
        let bench = EngineTestBench(audio: .device(), makeStretcher: { HoldingStretcher() })
        var media = media
        media.faults = faults
        bench.load(media)
        bench.loop.send(.setRepeat(.loop))
        bench.play(2)
        bench.driver.run(seconds: 0.8)
        // Each second sample is heard.
        let audio = stride(from: 0, to: 48_000, by: 2).map { Int16(truncatingIfNeeded: $0) }
        let expected = audio + [Int16](repeating: 0, count: 2_400)
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        #expect(AudioSeamTests.firstDifference(samples, expected) == nil)
    }

    @Test("The audio before an item that is not ready in time is heard to its end in its place")
    func heldBeforeLateItem() {
        let bench = EngineTestBench(audio: .device(), makeStretcher: { HoldingStretcher() })
        bench.loop.send(.setEndAction(.advance))
        bench.insert(.clip(seconds: 2), id: 1)
        bench.insert(.clip([.hang(atPacket: 0)]), id: 2)
        bench.play(2)
        bench.driver.run(seconds: 1.5)
        let expected = stride(from: 0, to: 96_000, by: 2).map { Int16(truncatingIfNeeded: $0) }
        let samples = bench.audioDevice.heard.flatMap(\.samples)
        #expect(AudioSeamTests.firstDifference(samples, expected) == nil)
    }

    @Test("Audio after a gap that is long at a low rate is heard from its first sample")
    func longGap() {
        let bench = EngineTestBench(audio: .device(), makeStretcher: { PickingStretcher() })
        // The second packet is missing: 1.2 s of the item, and 2.4 s of silence, which exceed the device's capacity.
        var media = ScriptedMedia(audio: .init(sampleCount: 230_400, packetLength: 57_600))
        media.faults = [.unreadable(packet: 1)]
        bench.load(media)
        bench.play(0.5)
        bench.driver.run(seconds: 6)
        let samples = bench.audioDevice.heard.flatMap(\.samples).dropFirst(115_200 + 4_800)
        #expect(samples.first { $0 != 0 } == Int16(truncatingIfNeeded: 115_200))
    }

    @Test("The audio before an item without audio is complete")
    func beforeSilence() {
        let bench = EngineTestBench(makeStretcher: { HoldingStretcher() })
        bench.loop.send(.setEndAction(.advance))
        bench.insert(.clip(seconds: 2), id: 1)
        bench.insert(.silentClip(), id: 2)
        bench.play(2)
        bench.driver.run(atMost: 60)
        #expect(bench.lines("playedToEnd").count == 2)
        #expect(bench.audioSink.samples.count == 48_000)
    }

    @Test("The audio before an item that is removed just before its turn is complete")
    func beforeRemovedItem() {
        let bench = EngineTestBench(isRealTime: true, makeStretcher: { HoldingStretcher() })
        bench.loop.send(.setEndAction(.advance))
        for id in 1...2 { bench.insert(.clip(seconds: 2), id: UInt64(id)) }
        bench.play(2)
        bench.driver.run(seconds: 0.97)
        bench.loop.send(.remove(ItemID(2)))
        bench.driver.run(atMost: 60)
        #expect(bench.lines("playedToEnd").count == 1)
        #expect(bench.audioSink.samples.count == 48_000)
    }

    @Test(
        "The audio of an interstitial is complete before the interrupted item, which has no audio, continues"
    )
    func interstitialBeforeSilence() {
        let bench = EngineTestBench(makeStretcher: { HoldingStretcher() })
        bench.load(.silentClip())
        bench.play(2)
        bench.driver.run(seconds: 0.5)
        let source = MediaItemSource(bench.makeItem(.clip(seconds: 1)))
        bench.loop.perform { $0.interrupt(with: ItemID(9), source, rate: 2) }
        bench.driver.run(atMost: 60)
        #expect(bench.lines("playedToEnd").count == 2)
        #expect(bench.audioSink.samples.count == 24_000)
    }

    @Test(
        "A sink without a device receives each sample of an item that an interstitial at another rate interrupts"
    )
    func interruptedAtOtherRate() {
        let bench = EngineTestBench(makeStretcher: { HoldingStretcher() })
        bench.load(.clip(seconds: 2))
        bench.play(2)
        bench.driver.run(seconds: 0.5)
        let source = MediaItemSource(bench.makeItem(.clip(seconds: 1)))
        bench.loop.perform { $0.interrupt(with: ItemID(9), source, rate: 1) }
        bench.driver.run(atMost: 60)
        #expect(bench.lines("playedToEnd").count == 2)
        #expect(bench.audioSink.samples.count == 48_000 + 48_000)
    }

    @Test("After a rate change at the end, the last sample is heard and no underrun is counted")
    func atTheEnd() {
        let bench = EngineTestBench(audio: .device(), makeStretcher: { PickingStretcher() })
        bench.load(.clip(seconds: 2))
        bench.play()
        bench.driver.run(seconds: 1.9)
        bench.play(0.5)
        bench.driver.run(atMost: 10)
        let last = bench.audioDevice.heard.flatMap(\.samples).last { $0 != 0 }
        #expect(last == Int16(truncatingIfNeeded: 95_999))
        #expect(bench.loop.snapshot.counters.audioUnderruns == 0)
    }

    @Test("A rate change while playback waits for the device does not start the video early")
    func whileWaiting() {
        var setup = SimulatedAudioDevice.Setup()
        setup.isConnected = false
        setup.isConnecting = true
        let bench = EngineTestBench(audio: .device(setup), makeStretcher: { PickingStretcher() })
        bench.load(.clip(seconds: 5))
        bench.play()
        bench.driver.run(seconds: 0.1)
        bench.play(2)
        bench.driver.run(seconds: 0.1)
        #expect(bench.time == 0)
        bench.audioDevice.connect()
        let moments = bench.run(seconds: 1)
        #expect(moments.worstOffset < 45)
        #expect(abs(bench.offset ?? 99) < 3)
        #expect(bench.audioDevice.heard.first?.samples.prefix(2) == [0, 2])
    }
}

extension ArraySlice<EngineTestBench.Moment> {
    fileprivate var steps: ClosedRange<Double> { Array(self).steps }
}

extension [EngineTestBench.Moment] {
    /// Offsets of more than 0.1 ms. While one rate is faded into the other, for 10 ms or two moments, a sample
    /// is a mixture and shows no time.
    fileprivate var apart: [Double] { compactMap(\.offset).filter { abs($0) > 0.1 } }
}
