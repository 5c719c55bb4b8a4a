import FFmpeg
import Foundation
import HLS
import PlayheadBackend
import TestSupport
import Testing

/// An entry of the corpus manifest.
struct CorpusEntry: Sendable, CustomTestStringConvertible {
    /// The path relative to the corpus, for example "h264/portrait-720x1080.mp4".
    var path: String
    /// The columns of the manifest by name.
    var columns: [String: String]

    var testDescription: String { path }
    var location: String { Corpus.root + "/" + path }
    func hasReference(_ kind: String) -> Bool {
        access("\(Corpus.root)/ref/\(path).\(kind)", R_OK) == 0
    }
    /// Whether the file is too long for every run.
    var isLong: Bool { hasReference("framemd5.sha256") }
}

/// A corpus of real media from other sources with ffmpeg's results. PLAYHEAD_CORPUS is its folder.
enum Corpus {
    static let root = CorpusFolder.url?.path ?? ""
    static var isPresent: Bool { !root.isEmpty }
    static let hint: Comment = "set PLAYHEAD_CORPUS to the corpus' folder"

    static let entries: [CorpusEntry] = {
        guard isPresent, let text = readText(root + "/MANIFEST.tsv") else { return [] }
        let rows = text.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        guard let header = rows.first else { return [] }
        return rows.dropFirst().map { row in
            let pairs = zip(header, row).map { (String($0), String($1)) }
            let columns = Dictionary(pairs) { first, _ in first }
            return CorpusEntry(path: columns["path"] ?? "", columns: columns)
        }
    }()

    static func entry(_ path: String) throws -> CorpusEntry {
        try #require(entries.first { $0.path == path })
    }

    /// Creates a demuxer for a file or a local playlist.
    static func makeDemuxer(_ request: OpenRequest) -> any Demuxer {
        guard request.location.hasSuffix(".m3u8") else { return FFmpegDemuxer(request) }
        let resources = PresentationResources(root: FileResource(location: request.location))
        let source = FileResource(location: request.location)
        return DetectingDemuxer(request, source, backend: FFmpegBackend(), resources: resources)
    }

    static func environment(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    static func readText(_ path: String) -> String? {
        readBytes(path).map { String(decoding: $0, as: UTF8.self) }
    }

    static func readBytes(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        return readAll(file)
    }

    /// Returns the standard output of a command.
    static func output(of command: String) -> [UInt8]? {
        guard let file = popen(command, "r") else { return nil }
        defer { pclose(file) }
        return readAll(file)
    }

    private static func readAll(_ file: UnsafeMutablePointer<FILE>) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return bytes }
            bytes += chunk.prefix(count)
        }
    }
}

/// The frames of a file as ffmpeg's framemd5 lists them.
struct FrameMD5: Sendable {
    struct Line: Equatable, Sendable {
        var time: Int64
        var byteCount: Int
        var hash: String
    }

    var lines: [Line]
    /// The seconds per unit of `Line.time`.
    var timeBase: (numerator: Int64, denominator: Int64)
    /// The lines that differ between runs of ffmpeg.
    var unstable: Set<Int>

    init?(_ entry: CorpusEntry) {
        let base = "\(Corpus.root)/ref/\(entry.path).framemd5"
        guard let text = Corpus.readText(base) else { return nil }
        lines = []
        timeBase = (1, 25)
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#tb 0: ") {
                let parts = line.dropFirst(7).split(separator: "/").compactMap { Int64($0) }
                if parts.count == 2 { timeBase = (parts[0], parts[1]) }
            }
            if line.hasPrefix("#") { continue }
            let fields = line.split(separator: ",").map { $0.filter { $0 != " " } }
            guard fields.count == 6, let time = Int64(fields[2]), let size = Int(fields[4]) else {
                return nil
            }
            lines.append(Line(time: time, byteCount: size, hash: fields[5]))
        }
        let marks = (Corpus.readText(base + ".unstable") ?? "").split(separator: "\n")
        unstable = Set(marks.filter { !$0.hasPrefix("#") }.compactMap { Int($0.filter { $0 != " " }) })
    }

    /// Converts a timestamp to this time base with the rounding of the ffmpeg command: first to a finer grid, then
    /// half up.
    static func round(ticks: Int64, of source: (Int64, Int64), to target: (Int64, Int64)) -> Int64 {
        let bits = max(0, min(16, 29 - (63 - max(1, target.1).leadingZeroBitCount)))
        let top = Int128(ticks) * Int128(source.0) * Int128(target.1) << bits
        let bottom = Int128(source.1) * Int128(target.0)
        let half = top < 0 ? -bottom / 2 : bottom / 2
        let fine = Double((top + half) / bottom) / Double(Int64(1) << Int64(bits))
        let nudge = fine == fine.rounded() ? 0 : (fine < 0 ? -1.0 : 1.0) / Double(1 << 17)
        return Int64((fine + nudge).rounded(.toNearestOrEven))
    }
}

/// The MD5 and length of a file's audio as interleaved s16.
struct AudioMD5: Sendable {
    var hash: String
    var byteCount: Int

    init?(_ entry: CorpusEntry) {
        guard let text = Corpus.readText("\(Corpus.root)/ref/\(entry.path).audio.md5") else { return nil }
        let words = text.split { $0 == " " || $0 == "\n" }
        guard let hash = words.first(where: { $0.hasPrefix("MD5=") }),
            let bytes = words.first(where: { $0.hasPrefix("bytes=") }).flatMap({ Int($0.dropFirst(6)) })
        else { return nil }
        self.hash = String(hash.dropFirst(4))
        self.byteCount = bytes
    }

    /// Returns the samples that the ffmpeg command decodes.
    static func samples(_ entry: CorpusEntry) -> [UInt8]? {
        let quoted = "'" + entry.location + "'"
        let lists = entry.path.hasSuffix(".m3u8") ? "-allowed_extensions ALL " : ""
        return Corpus.output(
            of:
                "ffmpeg -nostdin -v quiet -threads 1 \(lists)-i \(quoted) -map 0:a:0 -c:a pcm_s16le -f s16le -"
        )
    }
}
