import MediaCore
import Testing

@testable import PlaybackEngine

@Suite("Declared end")
struct DeclaredEndTests {
    @Test(
        "Data that end early are truncated, except those of a playlist, whose durations may be rounded",
        arguments: [
            (false, false, 60, true), (false, false, 61.5, false), (true, false, 60, false),
            (false, true, 62.3, true), (false, true, 62.45, false),
        ] as [(Bool, Bool, Double, Bool)]
    )
    func truncation(isRounded: Bool, isExact: Bool, end: Double, isTruncated: Bool) {
        var description = MediaDescription(formatName: "any")
        description.duration = .seconds(62.5)
        description.durationIsRounded = isRounded
        description.durationIsExact = isExact
        description.tracks = [Track(id: 3, mediaType: .video, codec: "h264", timeBase: Rational(1, 90_000))]
        let error = DeclaredEnd(description, played: [3]).truncation(at: .seconds(end))
        #expect((error?.code == .truncated) == isTruncated)
    }
}
