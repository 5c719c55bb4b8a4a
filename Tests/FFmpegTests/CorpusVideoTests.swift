import FFmpeg
import Glibc
import MediaCore
import PlayheadBackend
import Testing

/// Every frame of every file has the same bytes and timestamps, in the same order, as ffmpeg's.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct CorpusVideoTests {
    static let files = Corpus.entries.filter { $0.hasReference("framemd5") }

    /// The first pass uses one thread after a full analysis and is compared with the reference. Two passes with four
    /// threads and without the analysis are compared with it.
    @Test(arguments: files)
    func picturesAreFFmpegs(_ entry: CorpusEntry) throws {
        let reference = try #require(FrameMD5(entry))
        // The concealment in damaged frames depends on the memory that is reused, and so on the number of threads.
        let threads = reference.unstable.isEmpty ? (one: 1, four: 4) : (one: 0, four: 0)
        let request = OpenRequest(location: entry.location, probesFully: true)
        let session = try #require(try Playthrough.Session(request, .video, threads: threads.one))
        let full = session.play()
        compare(full.frames, reference, track: session.track)
        let expected = stable(full.frames, reference).map { frame in
            var frame = frame
            frame.hash = ""
            return frame
        }

        let unanalysed = OpenRequest(location: entry.location)
        let quick = try #require(try Playthrough.Session(unanalysed, .video, threads: threads.four))
        let first = quick.play(hashes: false)
        #expect(stable(first.frames, reference) == expected)
        try quick.rewind()
        let second = quick.play(hashes: false)
        #expect(stable(second.frames, reference) == expected)
        #expect(second.errors.count == first.errors.count)
    }

    /// The test takes minutes and runs only on request.
    @Test(
        .enabled(if: Corpus.environment("PLAYHEAD_LONG_TESTS") != nil, "set PLAYHEAD_LONG_TESTS"),
        arguments: Corpus.entries.filter(\.isLong)
    )
    func longFilesAreFFmpegs(_ entry: CorpusEntry) throws {
        let request = OpenRequest(location: entry.location, probesFully: true)
        let session = try #require(try Playthrough.Session(request, .video))
        let frames = session.play().frames
        let rate = try #require(session.track.nominalFrameRate)
        let source = (Int64(session.track.timeBase.numerator), Int64(session.track.timeBase.denominator))
        let target = (Int64(rate.denominator), Int64(rate.numerator))
        var text = ""
        for frame in frames {
            let time = FrameMD5.round(ticks: try #require(frame.ticks), of: source, to: target)
            let columns = [
                padded(time, 10), padded(time, 10), padded(1, 8), padded(Int64(frame.byteCount), 8),
            ]
            text += "0, " + columns.joined(separator: ", ") + ", \(frame.hash)\n"
        }
        let path = "/tmp/playhead-\(getpid())-\(frames.count).txt"
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        defer { unlink(path) }
        let sum = String(decoding: try #require(Corpus.output(of: "sha256sum '\(path)'")), as: UTF8.self)
        let wanted = try #require(Corpus.readText("\(Corpus.root)/ref/\(entry.path).framemd5.sha256"))
        #expect(sum.prefix(64) == wanted.prefix(64))
    }

    private func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private func stable(_ frames: [Playthrough.Frame], _ reference: FrameMD5) -> [Playthrough.Frame] {
        frames.enumerated().filter { !reference.unstable.contains($0.offset) }.map(\.element)
    }

    private func compare(_ frames: [Playthrough.Frame], _ reference: FrameMD5, track: Track) {
        #expect(frames.count == reference.lines.count)
        let source = (Int64(track.timeBase.numerator), Int64(track.timeBase.denominator))
        let rate = track.nominalFrameRate ?? Rational(25, 1)
        #expect((Int64(rate.denominator), Int64(rate.numerator)) == reference.timeBase)
        // ffmpeg's muxer never writes a time that precedes the previous one.
        var latest = Int64.min
        for (index, (frame, line)) in zip(frames, reference.lines).enumerated() {
            if let ticks = frame.ticks {
                latest = max(latest, FrameMD5.round(ticks: ticks, of: source, to: reference.timeBase))
            }
            if reference.unstable.contains(index) { continue }
            #expect(frame.ticks != nil, "frame \(index)")
            #expect(frame.hash == line.hash, "frame \(index)")
            #expect(frame.byteCount == line.byteCount, "frame \(index)")
            #expect(latest == line.time, "frame \(index)")
        }
    }
}
