import FFmpeg
import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

/// Segments that the playlist declares as not available (`EXT-X-GAP`).
@Suite("HLS: gaps", .enabled(if: Fixture.areThere, "make fixtures"), .timeLimit(.minutes(10)))
struct GapTests {
    /// Returns a playlist of three segments in which those with these numbers are gaps.
    private func list(_ gaps: Set<Int>, _ name: String) -> String {
        let isMP4 = name == "fmp4"
        let map = isMP4 ? "#EXT-X-MAP:URI=\"init.mp4\"\n" : ""
        let segments = (0..<3).map { index in
            let file = gaps.contains(index) ? "gone" : "\(index)"
            let tag = gaps.contains(index) ? "#EXT-X-GAP\n" : ""
            return "\(tag)#EXTINF:1,\n\(file).\(isMP4 ? "m4s" : "ts")\n"
        }
        return "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(map)\(segments.joined())#EXT-X-ENDLIST\n"
    }

    /// Calls `body` with a local asset and with one on a server.
    private func forEachAsset(
        _ gaps: Set<Int>,
        _ name: String,
        in folder: TemporaryFolder,
        _ body: (Asset) async throws -> Void
    ) async throws {
        try folder.write("gaps.m3u8", Array(list(gaps, name).utf8))
        try await body(Asset(url: folder.file("gaps.m3u8")))
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        try await body(try served.asset("/gaps.m3u8"))
        #expect(!served.paths.contains { $0.hasPrefix("/gone") })
    }

    @Test(
        "A gap is skipped without an error, and frames after it keep their times within a frame",
        arguments: ["ts", "fmp4"],
        [[1], [0], [2], [0, 1], [1, 2]] as [Set<Int>]
    )
    func skipped(_ name: String, _ gaps: Set<Int>) async throws {
        let folder = try Presentation.folder(name)
        let plain = await PlaybackTranscript.play(Asset(url: folder.file("list.m3u8")))
        let frames = (0..<3).filter { !gaps.contains($0) }.flatMap { plain.frames[($0 * 30)...].prefix(30) }
        try await forEachAsset(gaps, name, in: folder) { asset in
            let played = await PlaybackTranscript.play(asset)
            #expect(played.ending == "end", "\(played.message)")
            #expect(played.faults == [])
            #expect(played.frames.map(Self.digest) == frames.map(Self.digest))
            // The start of a missing first segment follows from the durations in the playlist.
            let tolerance = gaps.contains(0) ? 1.0 / 30 : 1e-9
            for (frame, expected) in zip(played.frames, frames) {
                #expect(abs(Self.time(frame) - Self.time(expected)) < tolerance)
            }
        }
    }

    private static func digest(_ frame: String) -> String { String(frame.split(separator: " ")[1]) }
    private static func time(_ frame: String) -> Double {
        frame.split(separator: " ").first.flatMap { Double($0) } ?? .nan
    }

    @Test("A still in a gap is the last frame before it, and stills elsewhere are not affected")
    func stills() async throws {
        let folder = try Presentation.folder("ts")
        let plain = Asset(url: folder.file("list.m3u8"))
        try await forEachAsset([1], "ts", in: folder) { asset in
            for (time, shown) in [(500, 500), (1500, 990), (2500, 2500)] as [(Int64, Int64)] {
                let digests = [(asset, time), (plain, shown)].map { asset, time in
                    let generator = ImageGenerator(asset: asset)
                    generator.requestedTimeToleranceBefore = .zero
                    generator.requestedTimeToleranceAfter = .zero
                    return (generator, MediaTime(value: time, timescale: 1000))
                }
                var found: [String] = []
                for (generator, time) in digests {
                    found.append(FrameDigest.digest(of: try await generator.image(at: time).frame))
                }
                #expect(found[0] == found[1], "\(time)")
            }
        }
    }

    @Test("A playlist of gaps alone is empty")
    func nothing() async throws {
        let folder = try Presentation.folder("ts")
        try await forEachAsset([0, 1, 2], "ts", in: folder) { asset in
            let played = await PlaybackTranscript.play(asset)
            #expect(played.ending == "emptyMedia")
        }
    }
}
