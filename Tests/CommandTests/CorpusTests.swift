import Foundation
import TestSupport
import Testing

/// All frames of all files, compared with FFmpeg.
@Suite("Corpus", .enabled(if: Media.corpus != nil))
struct CorpusTests {
    @Test("Frames equal those of FFmpeg", arguments: Media.references(".framemd5"))
    func picturesAreThoseOfFFmpeg(path: String) async throws {
        let corpus = try #require(Media.corpus)
        let reference = corpus.appendingPathComponent("ref/\(path).framemd5")
        let expected = try String(contentsOf: reference, encoding: .utf8)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
        let outcome = try await play(path, in: corpus)
        #expect(outcome.pictures.count == expected.count)
        let unstable = try Self.unstableLines(reference.path + ".unstable")
        for (index, (line, reference)) in zip(outcome.pictures, expected).enumerated() where line != reference
        {
            guard !unstable.contains(index) else { continue }
            Issue.record("picture \(index) is \(line), should be \(reference)")
            break
        }
    }

    @Test(
        "The frames of long files have the checksum of FFmpeg's",
        arguments: Media.references(".framemd5.sha256").samples
    )
    func longFilesHaveTheirChecksum(path: String) async throws {
        let corpus = try #require(Media.corpus)
        let expected = try String(
            contentsOf: corpus.appendingPathComponent("ref/\(path).framemd5.sha256"),
            encoding: .utf8
        )
        let line =
            "\"$vplay\" --untimed --quiet --audio none --video framemd5:- \"$1\" | grep -v '^#' | sha256sum"
        let outcome = try await Command.shell(line, corpus.appendingPathComponent(path).path)
        #expect(outcome.text.prefix(64) == expected.prefix(64))
    }

    /// Only video is compared, because the ends of other tracks are not part of this test.
    private func play(_ path: String, in corpus: URL) async throws -> Outcome {
        try await Command.run(
            ["--untimed", "--quiet", "--audio", "none", "--video", "framemd5:-", path],
            in: corpus
        )
    }

    private static func unstableLines(_ path: String) throws -> Set<Int> {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return Set(text.split(separator: "\n").compactMap { Int($0) })
    }
}
