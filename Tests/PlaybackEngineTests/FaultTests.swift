import MediaCore
import PlaybackEngine
import PlayheadTesting
import TestSupport
import Testing

// Rule: dropping
@Suite("Faults in the pipeline")
struct FaultTests {
    static func clip(_ faults: [ScriptedMedia.Fault]) -> ScriptedMedia {
        ScriptedMedia(
            video: .init(frameCount: 50, frameRate: 25, keyInterval: 10),
            audio: .init(sampleCount: 96_000),
            faults: faults
        )
    }

    /// Enough packets for about a second of both tracks.
    static let middle = 72

    @Test("A stall loses and repeats neither a frame nor a sample")
    func stall() {
        let bench = EngineTestBench()
        bench.load(Self.clip([.stall(atPacket: Self.middle, until: 5)]))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(bench.audioSink.samples == PlaybackTests.allSamples)
    }

    @Test("A packet that cannot be read or decoded is counted as a fault, and the rest is played")
    func oneBroken() {
        let bench = EngineTestBench()
        bench.load(Self.clip([.unreadable(packet: 30), .undecodable(frame: 40)]))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.loop.snapshot.counters.faults == 2)
        #expect(bench.lines("fault ").count == 2)
        #expect(!bench.videoSink.numbers.contains(40))
        #expect(bench.lines("playedToEnd").count == 1)
    }

    @Test("After a long damaged part the rest is played, and its first hundred faults are counted")
    func longDamage() {
        let faults = (20..<150).map { ScriptedMedia.Fault.undecodable(frame: $0) }
        let bench = EngineTestBench()
        bench.load(ScriptedMedia(video: .init(frameCount: 200, frameRate: 100), faults: faults))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<20) + Array(150..<200))
        #expect(bench.loop.snapshot.counters.faults == 100)
        #expect(bench.lines("playedToEnd").count == 1)
    }

    @Test("A track without a decoder is not played, and an item without any decoder fails")
    func noDecoder() {
        let bench = EngineTestBench()
        bench.load(Self.clip([.noDecoder(.video)]))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.audioSink.samples.count == 96_000)
        #expect(bench.lines("fault decoderNotFound").count == 1)

        let other = EngineTestBench()
        other.load(Self.clip([.noDecoder(.video), .noDecoder(.audio)]))
        other.driver.run(atMost: 60)
        #expect(other.loop.snapshot.itemError?.code == .decoderNotFound)
    }

    @Test(
        "Items can be replaced at any time; the sinks are flushed and the last item plays",
        arguments: (0..<50).samples
    )
    func replaced(seed: Int) {
        let bench = EngineTestBench(seed: UInt64(seed))
        var random = SplitMix64(UInt64(seed))
        bench.loop.send(.setRate(1))
        for number in 1...5 {
            bench.load(Self.clip([]), id: UInt64(number))
            for _ in 0..<Int.random(in: 0..<400, using: &random) where !bench.driver.step() {
                bench.driver.run(seconds: 0.01)
            }
        }
        bench.load(ScriptedMedia(video: .init(frameCount: 7)), id: 6)
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(Array(bench.videoSink.numbers.suffix(7)) == Array(0..<7), "seed \(seed)")
        #expect(bench.lines("playedToEnd").count <= 6)
    }

    @Test(
        "A release at any time finishes every sink once, and nothing is reported afterwards",
        arguments: (0..<100).samples
    )
    func released(seed: Int) {
        let bench = EngineTestBench(seed: UInt64(seed))
        var random = SplitMix64(UInt64(seed))
        bench.load(Self.clip([]))
        bench.loop.send(.setRate(1))
        for step in 0..<Int.random(in: 0..<600, using: &random) {
            if step == 100 { bench.seek(1, to: .ms(700)) }
            if !bench.driver.step() { bench.driver.run(seconds: 0.01) }
        }
        bench.loop.release()
        let before = bench.lines.count
        bench.driver.run(atMost: 60)
        #expect(bench.lines.count == before, "seed \(seed)")
        #expect(bench.videoSink.calls.filter { $0 == .finish }.count == 1)
        #expect(bench.audioSink.finishes == 1)
    }
}
