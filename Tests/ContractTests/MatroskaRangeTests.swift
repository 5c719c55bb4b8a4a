import Foundation
import Playhead
import TestSupport
import Testing

/// Matroska declares no decode times, so those of H.264 and HEVC are not known.
@Suite("Contract: ranges of Matroska with reordered frames", .enabled(if: Fixture.areThere))
struct MatroskaRangeTests {
    @Test(
        "A range has all frames before its end, also those that are decoded after later ones",
        arguments: ["clip-h264-aac.mp4", "clip-hevc-aac.mp4"]
    )
    func range(name: String) async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make("a.mkv", in: folder, "-i \(Fixture.path(name)) -map 0:v -c copy")
        let asset = Asset(url: url)
        var frames: [VideoFrame] = []
        for try await frame in asset.frames() { frames.append(frame) }
        try #require(frames.count > 40)
        for count in [10, 11, 12, 30, 31, 32, frames.count - 1] {
            let range = MediaTimeRange(start: .zero, end: frames[count].presentationTime)
            var found: [VideoFrame] = []
            for try await frame in asset.frames(in: range) { found.append(frame) }
            #expect(found.map(\.presentationTime) == frames[..<count].map(\.presentationTime))
            #expect(try found.last?.packedBytes() == frames[count - 1].packedBytes())
        }
    }
}
