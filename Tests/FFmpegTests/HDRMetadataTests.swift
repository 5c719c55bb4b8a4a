import FFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

/// The display that pictures were graded on, and how bright they become. The numbers are those of
/// `media-fixtures/manifest.json`.
@Suite("Mastering data", .enabled(if: Fixture.areThere, "make fixtures"))
struct HDRMetadataTests {
    private static func place(_ x: Int32, _ y: Int32) -> MasteringDisplay.Chromaticity {
        MasteringDisplay.Chromaticity(x: Rational(x, 50_000), y: Rational(y, 50_000))
    }

    private static let display = MasteringDisplay(
        primaries: MasteringDisplay.Primaries(
            red: place(34_000, 16_000),
            green: place(13_250, 34_500),
            blue: place(7_500, 3_000),
            whitePoint: place(15_635, 16_450)
        ),
        luminance: MasteringDisplay.Luminance(
            minimum: Rational(50, 10_000),
            maximum: Rational(10_000_000, 10_000)
        )
    )
    private static let level = ContentLightLevel(maximum: 1000, maximumFrameAverage: 400)

    /// The track as it is described, and the format of each frame.
    private func open(_ path: String) throws -> (track: Track, formats: [VideoFormat]) {
        let session = try #require(try Playthrough.Session(OpenRequest(location: path), .video))
        var formats: [VideoFormat] = []
        func take() throws {
            while case .video(let frame) = try session.decoder.receive() { formats.append(frame.format) }
        }
        while let packet = try session.demuxer.read() {
            while try !session.decoder.send(packet) { try take() }
            try take()
        }
        _ = try session.decoder.send(nil)
        try take()
        return (session.track, formats)
    }

    @Test("Frames tell what they were graded on, to the fraction; a track of which only they tell does not")
    func frames() throws {
        let (track, formats) = try open(Fixture.path("hdr10-hevc.mp4"))
        #expect(formats.count == 30)
        #expect(formats.allSatisfy { $0.masteringDisplay == Self.display })
        #expect(formats.allSatisfy { $0.contentLightLevel == Self.level })
        #expect(formats.allSatisfy { $0.color.transfer == "smpte2084" })
        #expect(track.masteringDisplay == nil && track.contentLightLevel == nil)
    }

    @Test("What is not HDR tells nothing")
    func plain() throws {
        let (track, formats) = try open(Fixture.path("clip-hevc-aac.mp4"))
        #expect(track.masteringDisplay == nil && track.contentLightLevel == nil)
        #expect(formats.allSatisfy { $0.masteringDisplay == nil && $0.contentLightLevel == nil })
    }

    @Test("A container tells for its track and for frames that are silent; what frames tell counts more")
    func container() throws {
        let folder = try TemporaryFolder()
        var told = Self.display
        told.luminance?.maximum = Rational(40_000_000, 10_000)
        let level = ContentLightLevel(maximum: 2000, maximumFrameAverage: 500)
        let boxes = HDRBoxes(told, level)
        for (name, entry) in [("hdr10-hevc.mp4", "hvc1"), ("clip-moov-at-end.mp4", "avc1")] {
            let changed = try #require(boxes.added(toFirst: entry, of: Data(contentsOf: Fixture.url(name))))
            try folder.write(name, changed)
            let (track, formats) = try open(folder.path(name))
            #expect(track.masteringDisplay == told)
            #expect(track.contentLightLevel == level)
            let isHDR = entry == "hvc1"
            #expect(formats.count == (isHDR ? 30 : 90))
            #expect(formats.allSatisfy { $0.masteringDisplay == (isHDR ? Self.display : told) })
            #expect(formats.allSatisfy { $0.contentLightLevel == (isHDR ? Self.level : level) })
        }
    }

    @Test("A real file", .enabled(if: Corpus.isPresent, Corpus.hint))
    func real() throws {
        let (track, formats) = try open(Corpus.root + "/hdr/hdr10-av1-1080p60-mdcv-clli.mp4")
        // As ffprobe tells them.
        #expect(track.masteringDisplay?.primaries?.red == Self.place(33_899, 16_099))
        #expect(track.masteringDisplay?.primaries?.whitePoint == Self.place(15_634, 16_449))
        #expect(track.masteringDisplay?.luminance?.maximum == Rational(10_000_000, 10_000))
        #expect(track.contentLightLevel == ContentLightLevel(maximum: 1100, maximumFrameAverage: 180))
        #expect(!formats.isEmpty && formats.allSatisfy { $0.contentLightLevel == track.contentLightLevel })
    }
}
