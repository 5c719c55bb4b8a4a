import FFmpeg
import MediaCore
import PlayheadBackend
import Testing

/// A seek ends at a position where decoding can start, at or before the target. Zero is the start of the file.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct SeekTests {
    static let files = [
        "h264/smpte-1080p25-aac.mp4", "h264/camera-hand-640x480.mkv", "fragmented/h264-aac-sidx-seekable.mp4",
        "vp8/bbb-720p24-30s-vorbis.webm", "mpeg/bbb-2.5s-mpeg2-1080-mp2.ts", "flv/h264-keyframe-index.flv",
        "mpeg/h264-mp3.avi", "timing/mpegts-starts-at-3600s.ts", "theora/theora-vorbis-320x240.ogg",
        "vp9/no-duration-720p-opus.webm", "hls/cmaf-fmp4-separate-audio/playlist.m3u8",
        "timing/edit-list-first-pts-10s.mp4", "timing/large-composition-offset-720x1280.mp4",
    ]

    @Test(arguments: files)
    func everyTargetIsReached(_ path: String) throws {
        let entry = try Corpus.entry(path)
        let session = try #require(try Playthrough.Session(OpenRequest(location: entry.location), .video))
        let whole = session.play().frames
        var random = SplitMix(seed: 7)
        for _ in 0..<8 {
            let target = try #require(whole.randomElement(using: &random))
            session.decoder.flush()
            try session.demuxer.seek(to: target.time, preference: .atOrBefore).get()
            let packet = try #require(try session.demuxer.read().get())
            #expect(packet.isKeyFrame)
            #expect((packet.presentationTime ?? packet.decodeTime).map { $0 <= target.time } ?? true)
            try session.demuxer.seek(to: target.time, preference: .atOrBefore).get()
            let found = session.play(upTo: target.time).frames.first
            #expect(found?.hash == target.hash, "\(target.time) of seed 7")
        }
    }

    @Test(arguments: ["h264/smpte-1080p25-aac.mp4", "vp8/bbb-720p24-30s-vorbis.webm"])
    func forwardSeeksLandBehindTheTarget(_ path: String) throws {
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: Corpus.entry(path).location), .video)
        )
        let target = MediaTime(value: 5, timescale: 10)
        try session.demuxer.seek(to: target, preference: .atOrAfter).get()
        let packet = try #require(try session.demuxer.read().get())
        let time = try #require(packet.presentationTime)
        #expect(packet.isKeyFrame)
        let isLastKey = time < target
        if !isLastKey { #expect(time >= target) }
    }

    @Test(arguments: [
        "audio/aac-adts.aac", "audio/mp3-rain-60s.mp3", "audio/flac-48k.flac", "audio/vorbis.ogg",
    ])
    func zeroIsTheBeginningAfterTheEnd(_ path: String) throws {
        let session = try #require(
            try Playthrough.Session(OpenRequest(location: Corpus.entry(path).location), .audio)
        )
        let first = try #require(try session.demuxer.read().get())
        while try session.demuxer.read().get() != nil {}
        try session.demuxer.seek(to: .zero, preference: .atOrBefore).get()
        let again = try #require(try session.demuxer.read().get())
        #expect(again.presentationTime == first.presentationTime)
        #expect(again.byteCount == first.byteCount)
    }

    @Test func disabledTracksAreNotReturned() throws {
        let entry = try Corpus.entry("h264/aac-1080x720-bframes.mp4")
        let demuxer = FFmpegDemuxer(OpenRequest(location: entry.location))
        _ = try demuxer.open().get()
        demuxer.setEnabledTracks([1])
        while let packet = try demuxer.read().get() { #expect(packet.track == 1) }
    }
}

/// A small random number generator with a reproducible sequence for each seed.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
