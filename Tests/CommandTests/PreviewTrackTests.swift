import MediaCore
import Testing

@testable import vplay

@Suite("Preview tracks")
struct PreviewTrackTests {
    @Test(
        "The intervals divide any duration that a file may declare",
        arguments: [
            (1, "00:00:00.990 --> 00:00:01.000"),
            (100_000_000_000_000, "27500000000:00:00.000 --> 27777777777:46:40.000"),
        ] as [(Int64, String)]
    )
    func durations(seconds: Int64, last: String) {
        var track = PreviewTrack(duration: MediaTime(value: seconds, timescale: 1), count: 100)
        for _ in 0..<100 { track.add(image: "a.png", PixelRect(x: 0, y: 0, width: 2, height: 2)) }
        let lines = track.text(relativeTo: "a.vtt").split(separator: "\n")
        #expect(lines.count == 201)
        #expect(lines[lines.count - 2] == last)
    }
}
