import TestSupport
import Testing

// Rule: seek-completion
@Suite("Random walks of the playback state")
struct StateWalkTests {
    @Test(
        "A million random events from known seeds keep every invariant",
        arguments: (0..<40).samples
    )
    func random(seed: Int) {
        var walker = StateWalker(InputRandom(seed: UInt64(seed)))
        for _ in 0..<25_000 {
            if let violation = walker.step() {
                Issue.record("seed \(seed), step \(walker.steps): \(violation)")
                return
            }
        }
        #expect(
            walker.observed.coverage.minimum > 0,
            "seed \(seed) did not cover every case: \(walker.observed.coverage)"
        )
    }
}
