import Foundation
import MediaCore
import Playhead
import PlayheadTesting
import Testing

/// A presentation of three variants over links of several speeds, on the clock of the test.
@Suite("Over a network the variant follows the speed", .timeLimit(.minutes(1)))
struct AdaptiveBitRateTests {
    private static let seconds = 45
    /// The first one listed is neither the best nor the least.
    private static let bitRates = [300_000.0, 100_000, 900_000]

    private struct Outcome {
        var event: AccessLog.Event
        var frames: [CapturingVideoSink.Frame]
        var samples: [Int16]
        var stalls: Int
        /// Bit rates, as they took over.
        var played: [Double]
    }

    private func play(
        _ speeds: [(from: Double, bits: Double)],
        seconds: Int = seconds,
        _ prepare: (PlayerItem) -> Void = { _ in }
    ) throws -> Outcome {
        let media = ScriptedMedia(
            video: .init(frameCount: seconds * 25, keyInterval: 25),
            audio: .init(sampleCount: seconds * 48_000)
        )
        let bench = PlayerTestBench()
        let link = SharedLink(speeds)
        let backend = LinkBackend(media: media, bitRates: Self.bitRates, link: link, driver: bench.driver)
        let item = PlayerItem(asset: Asset(url: URL(fileURLWithPath: "/film"), backend: backend))
        prepare(item)
        bench.player.play()
        bench.load(item)
        var played: [Double] = []
        while bench.takeLines(of: "end").isEmpty, bench.driver.now < HostTime(nanoseconds: 300_000_000_000) {
            bench.driver.run(seconds: 0.1)
            let rate = bench.player.counters.indicatedBitRate
            if rate > 0, played.last != rate { played.append(rate) }
        }
        return Outcome(
            event: try #require(item.accessLog().events.first),
            frames: bench.videoSink.frames,
            samples: bench.audioSink.samples,
            stalls: bench.player.counters.stalls,
            played: played
        )
    }

    /// Each frame once, in its place, and all of the sound.
    private func expectWhole(_ outcome: Outcome, seconds: Int = seconds) {
        #expect(outcome.frames.map(\.number) == Array(0..<seconds * 25))
        let start = outcome.frames[1].hostTime
        let late = outcome.frames.dropFirst().enumerated().filter { index, frame in
            frame.hostTime.nanoseconds(since: start) != Int64(index) * 40_000_000
        }
        #expect(late.isEmpty)
        #expect(outcome.samples == (0..<seconds * 48_000).map { Int16(truncatingIfNeeded: $0) })
        #expect(outcome.stalls == 0)
        #expect(outcome.event.stalls == 0)
    }

    @Test("It begins with the first one, and takes a better one when much is at hand")
    func up() throws {
        let outcome = try play([(0, 2_000_000)])
        expectWhole(outcome)
        #expect(outcome.played == [300_000, 900_000])
        #expect(outcome.event.variantChanges == 1)
        #expect(outcome.event.indicatedBitRate == 900_000)
        #expect((1_900_000...2_100_000).contains(outcome.event.observedBitRate))
    }

    @Test("A link that becomes slow: a smaller one takes over before anything runs dry")
    func down() throws {
        let outcome = try play([(0, 2_000_000), (12, 200_000)])
        expectWhole(outcome)
        #expect(outcome.played == [300_000, 900_000, 100_000])
        #expect(outcome.event.variantChanges == 2)
        #expect(outcome.event.indicatedBitRate == 100_000)
        #expect((180_000...220_000).contains(outcome.event.observedBitRate))
    }

    @Test(
        "Over a link too fast to be measured, too, also where all has come before anything is known",
        arguments: [45, 16]
    )
    func fast(_ seconds: Int) throws {
        let outcome = try play([(0, 10_000_000_000)], seconds: seconds)
        expectWhole(outcome, seconds: seconds)
        #expect(outcome.played == [300_000, 900_000])
        #expect(outcome.event.observedBitRate > 1_400_000)
    }

    @Test("What is short has come when it begins, and stays as it is")
    func short() throws {
        let outcome = try play([(0, 10_000_000_000)], seconds: 8)
        expectWhole(outcome, seconds: 8)
        #expect(outcome.played == [300_000])
    }

    @Test("A link that serves the first one and no more changes nothing")
    func steady() throws {
        let outcome = try play([(0, 600_000)])
        expectWhole(outcome)
        #expect(outcome.played == [300_000])
        #expect(outcome.event.variantChanges == 0)
    }

    @Test("A limit holds, however fast the link is")
    func limit() throws {
        let outcome = try play([(0, 20_000_000)]) { $0.preferredPeakBitRate = 400_000 }
        expectWhole(outcome)
        #expect(outcome.played == [300_000])
    }

    @Test("A link too slow for the first one: the least, from the start on")
    func slow() throws {
        let outcome = try play([(0, 250_000)])
        #expect(outcome.frames.map(\.number) == Array(0..<Self.seconds * 25))
        #expect(outcome.played == [300_000, 100_000])
    }
}
