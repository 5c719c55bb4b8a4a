import FFmpeg
import MediaCore
import PlayheadBackend
import Testing

/// Damaged, truncated and hostile files end soon, with the frames that can be decoded or with an error message, and
/// never with a crash.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct BrokenFileTests {
    static let files = Corpus.entries.filter {
        ["broken/", "unsupported/", "image/", "subtitles/"].contains(where: $0.path.hasPrefix)
    }

    @Test(.timeLimit(.minutes(10)), arguments: files)
    func endsWithFramesOrWords(_ entry: CorpusEntry) throws {
        for probesFully in [false, true] {
            for type in [MediaType.video, .audio] {
                do {
                    let result = try Playthrough.play(entry.location, type, probesFully: probesFully)
                    for error in result?.errors ?? [] { #expect(!error.message.isEmpty) }
                } catch let error as MediaError {
                    #expect(!error.message.isEmpty)
                    #expect(error.location != nil)
                }
            }
        }
    }

    @Test(arguments: [
        ("broken/zero-length.webm", MediaError.Code.emptyMedia),
        ("broken/moov-renamed.mp4", .unrecognizedFormat),
        ("broken/clusterfuzz-6093954524250112.mp4", .unrecognizedFormat),
        ("broken/camera-bottles-cut-at-60pct.mp4", .truncated),
        ("unsupported/clearkey-encrypted-fragmented.mp4", .encrypted),
    ])
    func saysWhatIsWrong(_ path: String, _ code: MediaError.Code) throws {
        let entry = try Corpus.entry(path)
        let error = #expect(throws: MediaError.self) {
            try FFmpegDemuxer(OpenRequest(location: entry.location)).open().get()
        }
        #expect(error?.code == code)
        #expect(error?.location == entry.location)
    }

    @Test(arguments: ["unsupported/ac4.mp4", "unsupported/vvc-320x180.mp4"])
    func tracksWithoutDecoderSaySo(_ path: String) throws {
        let description = try FFmpegDemuxer(OpenRequest(location: Corpus.entry(path).location)).open().get()
        #expect(description.tracks.allSatisfy { !$0.isPlayable })
    }

    /// Frame threads write their messages at any time, so they are left out: each run has the same errors.
    @Test(arguments: [1, 4])
    func errorsCarryTheLibrarysWords(_ threads: Int) throws {
        let entry = try Corpus.entry("broken/zero-empty-stsc.mp4")
        let result = try #require(try Playthrough.play(entry.location, .video, threads: threads))
        #expect(!result.errors.isEmpty)
        if threads == 1 {
            #expect(result.errors.contains { $0.libraryLog?.contains("NAL") == true })
        } else {
            #expect(result.errors.allSatisfy { $0.libraryLog == nil })
        }
        #expect(result.errors.allSatisfy { $0.code == .decodeFailed && $0.track != nil })
    }

    @Test func tooManyStreamsAreRefused() throws {
        let entry = try Corpus.entry("h264/aac-1080x720-bframes.mp4")
        let request = OpenRequest(location: entry.location, maximumStreamCount: 1)
        let error = #expect(throws: MediaError.self) { try FFmpegDemuxer(request).open().get() }
        #expect(error?.code == .exceedsLimits)
    }

    @Test(arguments: [false, true])
    func tooManyPixelsAreRefused(_ probesFully: Bool) throws {
        let entry = try Corpus.entry("uhd/h264-4k60-portrait-rot90.mp4")
        let request = OpenRequest(
            location: entry.location,
            probesFully: probesFully,
            maximumPixelCount: 1 << 20
        )
        let error = #expect(throws: MediaError.self) { try FFmpegDemuxer(request).open().get() }
        #expect(error?.code == .exceedsLimits)
    }

    @Test func aDecoderRefusesLargerPicturesInMidStream() throws {
        // The stream begins with 160x100 and changes to 640x360.
        let entry = try Corpus.entry("timing/h264-resolution-change-remux.ts")
        let demuxer = FFmpegDemuxer(OpenRequest(location: entry.location))
        let description = try demuxer.open().get()
        let track = try #require(description.tracks.first)
        let limit = 320 * 200
        let options = DecoderOptions(maximumPixelCount: limit)
        let decoder = try demuxer.makeDecoder(for: track.id, options: options).get()
        var largest = 0
        while let packet = try demuxer.read().get() {
            _ = try? decoder.send(packet)
            while case .video(let frame)? = try? decoder.receive() {
                largest = max(largest, frame.size.width * frame.size.height)
            }
        }
        #expect(largest <= limit)
    }
}
