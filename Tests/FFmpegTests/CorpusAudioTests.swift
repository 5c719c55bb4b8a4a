import FFmpeg
import MediaCore
import PlayheadBackend
import Testing

/// Every sample of every file: ffmpeg's, or all of them but the padding that the container declares.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct CorpusAudioTests {
    static let files = Corpus.entries.filter { AudioMD5($0) != nil }

    /// Files whose container declares where the sound ends, and how many samples that leaves.
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

    /// After a full analysis, against the reference. Then without the analysis, twice.
    @Test(arguments: files)
    func samplesAreFFmpegs(_ entry: CorpusEntry) throws {
        let reference = try #require(AudioMD5(entry))
        let full = try #require(try Playthrough.play(entry.location, .audio))
        let quick = try #require(try Playthrough.Session(OpenRequest(location: entry.location), .audio))
        #expect(quick.play().sound == full.sound)
        try quick.rewind()
        let second = quick.play()
        #expect(second.sound == full.sound)
        #expect(second.sampleCount == full.sampleCount)

        guard let end = CorpusAudioTests.declaredEnds[entry.path] else {
            #expect(full.sound.count == reference.byteCount)
            #expect(hash(full.sound) == reference.hash)
            return
        }
        #expect(full.sampleCount == end)
        let all = try #require(AudioMD5.samples(entry))
        #expect(all.count == reference.byteCount)
        #expect(full.sound.count < all.count)
        #expect(full.sound.elementsEqual(all.prefix(full.sound.count)))
    }

    @Test func theEndIsTrimmedAfterASeekToo() throws {
        let entry = try Corpus.entry("audio/aac-itunes-gapless.m4a")
        let session = try #require(try Playthrough.Session(OpenRequest(location: entry.location), .audio))
        let whole = session.play()
        session.decoder.flush()
        try session.demuxer.seek(to: MediaTime(value: 3, timescale: 1), preference: .atOrBefore)
        let tail = session.play()
        #expect(tail.sampleCount > 48_000)
        #expect(tail.sampleCount < whole.sampleCount)
        // Past the first overlapping windows, the tail is the whole's tail, sample by sample.
        let compared = 2 * 36_000
        #expect(tail.sound.suffix(compared) == whole.sound.suffix(compared))
    }

    private func hash(_ bytes: [UInt8]) -> String {
        let digest = FrameDigest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }
}
