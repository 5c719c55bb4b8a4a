import FFmpeg
import Glibc
import MediaCore
import PlayheadBackend
import Testing

/// Every picture of every file: the same bytes, in the same order, with the same time stamps as ffmpeg's.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct CorpusVideoTests {
    static let files = Corpus.entries.filter { $0.hasReference("framemd5") }

    /// On one thread after a full analysis, against the reference. Then on four threads without the analysis, twice.
    @Test(arguments: files)
    func picturesAreFFmpegs(_ entry: CorpusEntry) throws {
        let reference = try #require(FrameMD5(entry))
        // What is made up for damaged pictures depends on which memory is used again, and so on the threads.
        let threads = reference.unstable.isEmpty ? (one: 1, four: 4) : (one: 0, four: 0)
        let request = OpenRequest(location: entry.location, probesFully: true)
        let session = try #require(try Playthrough.Session(request, .video, threads: threads.one))
        let full = session.play()
        compare(full.pictures, reference, track: session.track)
        let expected = stable(full.pictures, reference).map { picture in
            var picture = picture
            picture.hash = ""
            return picture
        }

        let unanalysed = OpenRequest(location: entry.location)
        let quick = try #require(try Playthrough.Session(unanalysed, .video, threads: threads.four))
        let first = quick.play(hashes: false)
        #expect(stable(first.pictures, reference) == expected)
        try quick.rewind()
        let second = quick.play(hashes: false)
        #expect(stable(second.pictures, reference) == expected)
        #expect(second.errors.count == first.errors.count)
    }

    /// Minutes of work: only where it is asked for.
    @Test(
        .enabled(if: Corpus.environment("PLAYHEAD_LONG_TESTS") != nil, "set PLAYHEAD_LONG_TESTS"),
        arguments: Corpus.entries.filter(\.isLong)
    )
    func longFilesAreFFmpegs(_ entry: CorpusEntry) throws {
        let request = OpenRequest(location: entry.location, probesFully: true)
        let session = try #require(try Playthrough.Session(request, .video))
        let pictures = session.play().pictures
        let rate = try #require(session.track.nominalFrameRate)
        let source = (Int64(session.track.timeBase.numerator), Int64(session.track.timeBase.denominator))
        let target = (Int64(rate.denominator), Int64(rate.numerator))
        var text = ""
        for picture in pictures {
            let time = FrameMD5.round(ticks: try #require(picture.ticks), of: source, to: target)
            let columns = [
                padded(time, 10), padded(time, 10), padded(1, 8), padded(Int64(picture.byteCount), 8),
            ]
            text += "0, " + columns.joined(separator: ", ") + ", \(picture.hash)\n"
        }
        let path = "/tmp/playhead-\(getpid())-\(pictures.count).txt"
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

    private func stable(_ pictures: [Playthrough.Picture], _ reference: FrameMD5) -> [Playthrough.Picture] {
        pictures.enumerated().filter { !reference.unstable.contains($0.offset) }.map(\.element)
    }

    private func compare(_ pictures: [Playthrough.Picture], _ reference: FrameMD5, track: Track) {
        #expect(pictures.count == reference.lines.count)
        let source = (Int64(track.timeBase.numerator), Int64(track.timeBase.denominator))
        let rate = track.nominalFrameRate ?? Rational(25, 1)
        #expect((Int64(rate.denominator), Int64(rate.numerator)) == reference.timeBase)
        // ffmpeg's muxer never lets a time fall back behind the one before.
        var latest = Int64.min
        for (index, (picture, line)) in zip(pictures, reference.lines).enumerated() {
            if let ticks = picture.ticks {
                latest = max(latest, FrameMD5.round(ticks: ticks, of: source, to: reference.timeBase))
            }
            if reference.unstable.contains(index) { continue }
            #expect(picture.ticks != nil, "picture \(index)")
            #expect(picture.hash == line.hash, "picture \(index)")
            #expect(picture.byteCount == line.byteCount, "picture \(index)")
            #expect(latest == line.time, "picture \(index)")
        }
    }
}
