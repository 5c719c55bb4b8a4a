import MediaCore
import PlaybackEngine
import PlayheadTesting
import TestSupport
import Testing

// Rule: stalls
/// Underruns of a track while another track fills the read-ahead limits.
@Suite("Underruns while reading is suspended")
struct StarvationTests {
    /// The single audio packet lasts two seconds, which exceeds the read-ahead limit.
    private static let media = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2),
        audio: .init(sampleCount: 96_000, packetLength: 96_000)
    )

    @Test(
        "A change to forward at the wrap of a backward loop completes, and playback continues",
        arguments: (0..<8 as Range<UInt64>).samples
    )
    func reverseWrap(seed: UInt64) {
        let bench = EngineTestBench(seed: seed)
        bench.load(Self.media)
        bench.loop.send(.setRepeat(.loop))
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 0.2)
        bench.loop.send(.setRate(-2))
        bench.driver.run(seconds: 0.1)
        bench.seek(1, to: MediaTime(value: 5, timescale: 1), tolerance: .positiveInfinity)
        for _ in 0..<40 {
            bench.driver.run(seconds: 0.05)
            bench.loop.send(.setRate(bench.loop.snapshot.rate == 1 ? -2 : 1))
            bench.driver.settle()
        }
        bench.loop.send(.setRate(1))
        let before = bench.videoSink.numbers.count
        bench.driver.run(seconds: 4)
        #expect(bench.videoSink.numbers.count >= before + 90)
    }

    @Test("Limits that one track fills do not stall the other track", arguments: [3, 12, 48])
    func fullBounds(seconds: Int) {
        let bench = EngineTestBench()
        bench.load(
            ScriptedMedia(
                video: .init(frameCount: seconds * 25, frameRate: 25, keyInterval: 10),
                audio: .init(sampleCount: seconds * 48_000, packetLength: 144_000)
            )
        )
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: Double(seconds) + 1)
        #expect(bench.lines("playbackStalled") == [])
        #expect(bench.videoSink.numbers == Array(0..<seconds * 25))
    }

    @Test(
        "Decoding that empties its queue immediately does not make a seek complete without its frame",
        arguments: [15, 19, 22, 25, 27, 28, 33, 38, 39] as [UInt64]
    )
    func quickDecoding(seed: UInt64) {
        // With each of these seeds, packets once arrived too late.
        let bench = EngineTestBench(seed: seed)
        bench.load(
            ScriptedMedia(
                video: .init(frameCount: 250, frameRate: 25, keyInterval: 125, bFrames: 2),
                audio: .init(sampleCount: 480_000)
            )
        ) { $0.localRules.limits.packets = QueueLimits(bytes: 4 << 20, duration: 80_000_000) }
        bench.driver.run(atMost: 1)
        for (id, frame) in [120, 119, 118, 245, 244, 120, 100, 119].enumerated() {
            bench.seek(UInt64(id), to: .ms(Int64(frame) * 40))
            while bench.lines("seekCompleted").count <= id, bench.driver.step() {}
            #expect(bench.videoSink.numbers.last == frame, "seed \(seed)")
        }
    }
}
