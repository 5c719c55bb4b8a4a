import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

// Rule: muted-device
/// Sample values count from 0, so that each sample shows its position.
@Suite("A device that has never been used while muted")
struct MutedDeviceTests {
    private func isOpen(_ bench: EngineTestBench) -> Bool {
        bench.audioDevice.calls.contains { call in
            switch call {
            case .prepare, .start: true
            default: false
            }
        }
    }

    private func bench(seed: UInt64? = nil) -> EngineTestBench {
        let bench = EngineTestBench(audio: .device(), seed: seed)
        bench.loop.perform { $0.setVolume(0) }
        bench.load(.clip(seconds: 10))
        bench.driver.run(seconds: 0.2)
        return bench
    }

    @Test("If the player is muted from the start, the device is not opened, and the clock runs")
    func notOpened() {
        let bench = bench()
        bench.loop.send(.setRepeat(.loop))
        bench.play()
        bench.driver.run(seconds: 12)
        #expect(!isOpen(bench) && bench.audioDevice.heard.isEmpty)
        #expect(bench.lines("playedToEnd").count == 1)
        #expect(bench.loop.snapshot.counters.framesLate == 0)
    }

    @Test(
        "If the player is unmuted later, the audio joins at its position while time continues",
        arguments: [nil, 3] as [UInt64?]
    )
    func joins(seed: UInt64?) {
        let bench = bench(seed: seed)
        bench.play()
        bench.driver.run(seconds: 2)
        bench.loop.perform { $0.setVolume(1) }
        bench.driver.run(seconds: 0.6)
        #expect(isOpen(bench))
        let moments = bench.run(seconds: 2)
        #expect(moments.worstOffset < 3 && moments.allSatisfy { $0.offset != nil })
        #expect(moments.steps.lowerBound > 4.9 && moments.steps.upperBound < 5.1)
        #expect(bench.loop.snapshot.audio.isClock)
    }

    @Test(
        "If the player is unmuted before it plays, the beginning of the audio is complete",
        arguments: [nil, 7] as [UInt64?]
    )
    func whole(seed: UInt64?) {
        let bench = bench(seed: seed)
        bench.loop.perform { $0.setVolume(1) }
        bench.play()
        bench.driver.run(seconds: 3)
        let heard = bench.audioDevice.heard.flatMap(\.samples)
        #expect(heard.prefix(96_000).elementsEqual((0..<96_000).map { Int16(truncatingIfNeeded: $0) }))
    }

    @Test("If the player is muted again, the device stays open and plays silence")
    func staysOpen() {
        let bench = bench()
        bench.loop.perform { $0.setVolume(1) }
        bench.play()
        bench.driver.run(seconds: 1)
        bench.loop.perform { $0.setVolume(0) }
        bench.driver.run(seconds: 1)
        #expect(bench.loop.snapshot.audio.isClock)
        #expect(bench.audioDevice.heard.last?.samples.suffix(4800).allSatisfy { $0 == 0 } == true)
        #expect(!bench.audioDevice.calls.contains(.finish))
    }
}
