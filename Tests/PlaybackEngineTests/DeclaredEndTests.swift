import MediaCore
import Testing

@testable import PlaybackEngine

@Suite("Declared end")
struct DeclaredEndTests {
    @Test(
        "Data that end early are truncated, except those of a playlist, whose durations may be rounded",
        arguments: [
            ("matroska,webm", 60, true), ("matroska,webm", 61.5, false), ("hls", 60, false),
        ] as [(String, Double, Bool)]
    )
    func truncation(format: String, end: Double, isTruncated: Bool) {
        var description = MediaDescription(formatName: format)
        description.duration = .seconds(62.5)
        description.tracks = [Track(id: 3, mediaType: .video, codec: "h264", timeBase: Rational(1, 90_000))]
        let error = DeclaredEnd(description, played: [3]).truncation(at: .seconds(end))
        #expect((error?.code == .truncated) == isTruncated)
    }
}
