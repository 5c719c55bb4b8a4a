import FFmpeg
import MediaCore
import PlayheadBackend
import Testing

/// The description of a file after it has been opened.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct DescriptionTests {
    private func open(_ path: String, probesFully: Bool = false) throws -> MediaDescription {
        let entry = try Corpus.entry(path)
        return try Corpus.makeDemuxer(OpenRequest(location: entry.location, probesFully: probesFully)).open()
            .get()
    }

    @Test func rotationsAndMirrors() throws {
        let turned = try open("hevc/iphone-hlg-10bit-editlist-rot90.mp4").tracks.first {
            $0.mediaType == .video
        }
        #expect(turned?.preferredRotation == .clockwise90)
        #expect(turned?.isMirrored == false)
        #expect(turned?.color.transfer == "arib-std-b67")
        let half = try open("h264/camera-fire-720p-rot180.mp4").tracks.first { $0.mediaType == .video }
        #expect(half?.preferredRotation == .half)
        let mirrored = try open("h264/rotate-and-mirror-matrix.mp4").tracks.first { $0.mediaType == .video }
        #expect(mirrored?.isMirrored == true)
    }

    @Test func chaptersAreOnTheItemsTimeline() throws {
        let chapters = try open("chapters/matroska-chapters.mkv").chapters
        #expect(!chapters.isEmpty)
        #expect(chapters.allSatisfy { $0.timeRange.start >= .zero })
        #expect(try !open("chapters/nero-chapters.mp4").chapters.isEmpty)
    }

    @Test func coverArtIsNoMovingPicture() throws {
        let description = try open("audio/mp3-id3-cover.mp3")
        let art = try #require(description.tracks.first { $0.mediaType == .video })
        #expect(art.isAttachedPicture)
        #expect(art.nominalFrameRate == nil)
        #expect(description.metadata["title"] != nil || !description.metadata.isEmpty)
    }

    @Test func durationsAreDeclaredOrMarked() throws {
        #expect(try open("vp9/no-duration-720p-opus.webm").duration.isNumeric == false)
        let bogus = try open("fragmented/h264-bogus-duration-no-sidx.mp4")
        #expect(bogus.durationIsEstimate || bogus.duration < MediaTime(value: 10, timescale: 1))
        let plain = try open("timing/duration-1022ms.mp4")
        #expect(!plain.durationIsEstimate)
        #expect(plain.duration > MediaTime(value: 1, timescale: 1))
    }

    @Test(arguments: Corpus.entries.filter { $0.hasReference("framemd5") || $0.hasReference("audio.md5") })
    func theTimelineIsTheSameWithoutTheAnalysis(_ entry: CorpusEntry) throws {
        let quick = try open(entry.path, probesFully: false)
        let full = try open(entry.path, probesFully: true)
        #expect(quick.startTime == full.startTime)
        #expect(quick.tracks.map(\.codec) == full.tracks.map(\.codec))
        #expect(quick.tracks.map(\.timeRange.start) == full.tracks.map(\.timeRange.start))
        #expect(quick.duration == full.duration)
    }

    @Test func theTimelineBeginsAtZero() throws {
        let late = try open("timing/mpegts-starts-at-3600s.ts")
        #expect(late.startTime >= MediaTime(value: 3599, timescale: 1))
        let starts = late.tracks.map(\.timeRange.start)
        #expect(starts.min() == .zero)
    }
}
