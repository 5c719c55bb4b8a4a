import FFmpeg
import MediaCore
import PlayheadBackend
import Testing

/// Every sample of every file is ffmpeg's, except for the padding that the container declares.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct CorpusAudioTests {
    static let files = Corpus.entries.filter { AudioMD5($0) != nil }

    /// The files whose containers declare the end of the audio, and the number of samples before it.
    static let declaredEnds: [String: Int] = [
        "audio/aac-itunes-gapless.m4a": 200_000,
        "broken/mdat-too-long.mp4": 44_100,
        "broken/wrong-extension-mp4-as.mkv": 44_100,
        "h264/aac-1080x720-bframes.mp4": 44_100,
        "h264/bbb-1080p60-aac.mp4": 96_000,
        "h264/camera-parking-12.5fps-baseline.mp4": 1_447_680,
        "h264/rotate-and-mirror-matrix.mp4": 44_100,
        "timing/edit-list-positive-shift-1s.mp4": 480_240,
    ]

    /// The first pass follows a full analysis and is compared with the reference. Two passes without the analysis are
    /// compared with it.
    @Test(arguments: files)
    func samplesAreFFmpegs(_ entry: CorpusEntry) throws {
        let reference = try #require(AudioMD5(entry))
        let full = try #require(try Playthrough.play(entry.location, .audio))
        let quick = try #require(try Playthrough.Session(OpenRequest(location: entry.location), .audio))
        #expect(quick.play().audio == full.audio)
        try quick.rewind()
        let second = quick.play()
        #expect(second.audio == full.audio)
        #expect(second.sampleCount == full.sampleCount)

        guard let end = CorpusAudioTests.declaredEnds[entry.path] else {
            #expect(full.audio.count == reference.byteCount)
            #expect(hash(full.audio) == reference.hash)
            return
        }
        #expect(full.sampleCount == end)
        let all = try #require(AudioMD5.samples(entry))
        #expect(all.count == reference.byteCount)
        #expect(full.audio.count < all.count)
        #expect(full.audio.elementsEqual(all.prefix(full.audio.count)))
    }

    @Test func theEndIsTrimmedAfterASeekToo() throws {
        let entry = try Corpus.entry("audio/aac-itunes-gapless.m4a")
        let session = try #require(try Playthrough.Session(OpenRequest(location: entry.location), .audio))
        let whole = session.play()
        session.decoder.flush()
        try session.demuxer.seek(to: MediaTime(value: 3, timescale: 1), preference: .atOrBefore).get()
        let tail = session.play()
        #expect(tail.sampleCount > 48_000)
        #expect(tail.sampleCount < whole.sampleCount)
        // After the first overlapping windows, the samples after the seek are those of the whole file.
        let compared = 2 * 36_000
        #expect(tail.audio.suffix(compared) == whole.audio.suffix(compared))
    }

    private func hash(_ bytes: [UInt8]) -> String {
        let digest = FrameDigest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }
}
