import FFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

/// The mastering display and the light levels of frames. The numbers are those of `media-fixtures/manifest.json`.
@Suite("HDR metadata", .enabled(if: Fixture.areThere, "make fixtures"))
struct HDRMetadataTests {
    private static func chromaticity(_ x: Int32, _ y: Int32) -> MasteringDisplay.Chromaticity {
        MasteringDisplay.Chromaticity(x: Rational(x, 50_000), y: Rational(y, 50_000))
    }

    private static let display = MasteringDisplay(
        primaries: MasteringDisplay.Primaries(
            red: chromaticity(34_000, 16_000),
            green: chromaticity(13_250, 34_500),
            blue: chromaticity(7_500, 3_000),
            whitePoint: chromaticity(15_635, 16_450)
        ),
        luminance: MasteringDisplay.Luminance(
            minimum: Rational(50, 10_000),
            maximum: Rational(10_000_000, 10_000)
        )
    )
    private static let level = ContentLightLevel(maximum: 1000, maximumFrameAverage: 400)

    /// Returns the description of the video track and the format of each frame.
    private func open(_ path: String) throws -> (track: Track, formats: [VideoFormat]) {
        let session = try #require(try Playthrough.Session(OpenRequest(location: path), .video))
        var formats: [VideoFormat] = []
        func receiveAll() throws {
            while case .video(let frame) = try session.decoder.receive() { formats.append(frame.format) }
        }
        while let packet = try session.demuxer.read().get() {
            while try !session.decoder.send(packet) { try receiveAll() }
            try receiveAll()
        }
        _ = try session.decoder.send(nil)
        try receiveAll()
        return (session.track, formats)
    }

    @Test("Metadata of frames is exact, and is not attributed to their track")
    func frames() throws {
        let (track, formats) = try open(Fixture.path("hdr10-hevc.mp4"))
        #expect(formats.count == 30)
        #expect(formats.allSatisfy { $0.masteringDisplay == Self.display })
        #expect(formats.allSatisfy { $0.contentLightLevel == Self.level })
        #expect(formats.allSatisfy { $0.color.transfer == "smpte2084" })
        #expect(track.masteringDisplay == nil && track.contentLightLevel == nil)
    }

    @Test("Media without HDR has no metadata")
    func plain() throws {
        let (track, formats) = try open(Fixture.path("clip-hevc-aac.mp4"))
        #expect(track.masteringDisplay == nil && track.contentLightLevel == nil)
        #expect(formats.allSatisfy { $0.masteringDisplay == nil && $0.contentLightLevel == nil })
    }

    @Test("Metadata of the container applies to its track and to frames without metadata of their own")
    func container() throws {
        let folder = try TemporaryFolder()
        var expected = Self.display
        expected.luminance?.maximum = Rational(40_000_000, 10_000)
        let level = ContentLightLevel(maximum: 2000, maximumFrameAverage: 500)
        let boxes = HDRBoxes(expected, level)
        for (name, entry) in [("hdr10-hevc.mp4", "hvc1"), ("clip-moov-at-end.mp4", "avc1")] {
            let changed = try #require(boxes.added(toFirst: entry, of: Data(contentsOf: Fixture.url(name))))
            try folder.write(name, changed)
            let (track, formats) = try open(folder.path(name))
            #expect(track.masteringDisplay == expected)
            #expect(track.contentLightLevel == level)
            let isHDR = entry == "hvc1"
            #expect(formats.count == (isHDR ? 30 : 90))
            #expect(formats.allSatisfy { $0.masteringDisplay == (isHDR ? Self.display : expected) })
            #expect(formats.allSatisfy { $0.contentLightLevel == (isHDR ? Self.level : level) })
        }
    }

    @Test("A real file has the metadata that ffprobe reports", .enabled(if: Corpus.isPresent, Corpus.hint))
    func real() throws {
        let (track, formats) = try open(Corpus.root + "/hdr/hdr10-av1-1080p60-mdcv-clli.mp4")
        // These are the values that ffprobe reports.
        #expect(track.masteringDisplay?.primaries?.red == Self.chromaticity(33_899, 16_099))
        #expect(track.masteringDisplay?.primaries?.whitePoint == Self.chromaticity(15_634, 16_449))
        #expect(track.masteringDisplay?.luminance?.maximum == Rational(10_000_000, 10_000))
        #expect(track.contentLightLevel == ContentLightLevel(maximum: 1100, maximumFrameAverage: 180))
        #expect(!formats.isEmpty && formats.allSatisfy { $0.contentLightLevel == track.contentLightLevel })
    }
}
