import MediaCore
import PlaybackEngine
import Testing

@testable import PlayheadCore

@Suite("Legible output")
struct LegibleOutputTests {
    @Test("Cues that are delivered again are not compared with each other", .timeLimit(.minutes(1)))
    func deliveredAgain() {
        // With a comparison of each pair this takes minutes.
        let count = 60_000
        let range = MediaTimeRange(start: .zero, duration: MediaTime(value: 10, timescale: 1))
        let cues = (0..<count).map { TextCue(text: "\($0)", timeRange: range, track: 0) }
        let output = LegibleOutput()
        for _ in 0..<2 { output.listener.receive(.due(cues, at: .zero)) }
        #expect(output.cues(forItemTime: .zero).count == count)
    }
}
