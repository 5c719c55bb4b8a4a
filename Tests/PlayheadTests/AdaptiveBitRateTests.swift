import Foundation
import MediaCore
import Playhead
import PlayheadTesting
import Testing

// Rule: variants
/// A presentation of three variants over links of several speeds, on the clock of the test.
@Suite("Variants follow the network throughput", .timeLimit(.minutes(10)))
struct AdaptiveBitRateTests {
    private static let seconds = 45
    /// The variant that is listed first has neither the highest nor the lowest bit rate.
    private static let bitRates = [300_000.0, 100_000, 900_000]

    private struct Outcome {
        var event: AccessLog.Event
        var frames: [CapturingVideoSink.Frame]
        var samples: [Int16]
        var stalls: Int
        /// The bit rates of the variants in the order in which they took over.
        var played: [Double]
    }

    private func play(
        _ speeds: [(from: Double, bits: Double)],
        seconds: Int = seconds,
        secondsOffered: Double? = nil,
        _ prepare: (PlayerItem) -> Void = { _ in }
    ) throws -> Outcome {
        let media = ScriptedMedia(
            video: .init(frameCount: seconds * 25, keyInterval: 25),
            audio: .init(sampleCount: seconds * 48_000)
        )
        let bench = PlayerTestBench()
        let link = SharedLink(speeds)
        let backend = LinkBackend(
            media: media,
            bitRates: Self.bitRates,
            link: link,
            driver: bench.driver,
            secondsOffered: secondsOffered
        )
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

    /// Checks that each frame is shown once at its position, and that all audio is played.
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

    @Test("Playback starts with the variant that is listed first, and switches up when much is buffered")
    func up() throws {
        let outcome = try play([(0, 2_000_000)])
        expectWhole(outcome)
        #expect(outcome.played == [300_000, 900_000])
        #expect(outcome.event.variantChanges == 1)
        #expect(outcome.event.indicatedBitRate == 900_000)
        #expect((1_900_000...2_100_000).contains(outcome.event.observedBitRate))
    }

    @Test("When the link becomes slow, playback switches down before the buffer is empty")
    func down() throws {
        let outcome = try play([(0, 2_000_000), (12, 200_000)])
        expectWhole(outcome)
        #expect(outcome.played == [300_000, 900_000, 100_000])
        #expect(outcome.event.variantChanges == 2)
        #expect(outcome.event.indicatedBitRate == 100_000)
        #expect((180_000...220_000).contains(outcome.event.observedBitRate))
    }

    @Test(
        "A link that is too fast to be measured selects the best variant, even without a measurement",
        arguments: [45, 16]
    )
    func fast(_ seconds: Int) throws {
        let outcome = try play([(0, 10_000_000_000)], seconds: seconds)
        expectWhole(outcome, seconds: seconds)
        #expect(outcome.played == [300_000, 900_000])
        #expect(outcome.event.observedBitRate > 1_400_000)
    }

    @Test("A short presentation is received before a switch and stays in its first variant")
    func short() throws {
        let outcome = try play([(0, 10_000_000_000)], seconds: 8)
        expectWhole(outcome, seconds: 8)
        #expect(outcome.played == [300_000])
    }

    @Test("A link that suffices for the first variant alone causes no switch")
    func steady() throws {
        let outcome = try play([(0, 600_000)])
        expectWhole(outcome)
        #expect(outcome.played == [300_000])
        #expect(outcome.event.variantChanges == 0)
    }

    @Test("A bit-rate limit applies however fast the link is")
    func limit() throws {
        let outcome = try play([(0, 20_000_000)]) { $0.preferredPeakBitRate = 400_000 }
        expectWhole(outcome)
        #expect(outcome.played == [300_000])
    }

    @Test("At the edge of a live presentation the wait for media does not count as a slow link")
    func liveEdge() throws {
        let outcome = try play([(0, 10_000_000)], secondsOffered: 4)
        #expect(outcome.frames.map(\.number) == Array(0..<Self.seconds * 25))
        #expect(outcome.played.first == 300_000)
        #expect(!outcome.played.contains(100_000), "\(outcome.played)")
    }

    @Test("A link that is too slow for the first variant starts with the smallest one")
    func slow() throws {
        let outcome = try play([(0, 250_000)])
        #expect(outcome.frames.map(\.number) == Array(0..<Self.seconds * 25))
        #expect(outcome.played == [300_000, 100_000])
    }
}
