import MediaCore
import PlaybackEngine
import PlayheadTesting
import TestSupport
import Testing

/// A track that has nothing to deliver while another one fills the bounds of reading.
@Suite("A track is starved while reading waits for room")
struct StarvationTests {
    /// One audio packet says that it lasts two seconds: more than is read ahead.
    private static let media = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2),
        audio: .init(sampleCount: 96_000, packetLength: 96_000)
    )

    @Test(
        "Turning forward at a reverse loop's wrap ends, and playing goes on",
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

    @Test("Bounds that one track fills are no stall of the other", arguments: [3, 12, 48])
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
        "Decoding that empties the queue at once does not make a seek end without its frame",
        arguments: [15, 19, 22, 25, 27, 28, 33, 38, 39] as [UInt64]
    )
    func quickDecoding(seed: UInt64) {
        // Each of these orders once let reading come too late.
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
