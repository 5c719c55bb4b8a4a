import Foundation
import TestSupport

/// The media that the tests play.
enum Media {
    static let isMade = Fixture.areThere
    static func fixture(_ name: String) -> String { Fixture.path(name) }

    /// A clip of 90 frames and 3 s with audio.
    static let clip = fixture("clip-h264-aac.mp4")
    /// The size of one of its frames in bytes.
    static let pictureBytes = 320 * 180 * 3 / 2
    /// A clip with the same frames and without audio.
    static let silent = fixture("video-only.mp4")
    static let uneven = fixture("vfr.mp4")

    /// The folder of real files with references by FFmpeg; see its README.
    static let corpus = CorpusFolder.url

    /// Returns the paths below `ref/` of the corpus with a suffix, without that suffix.
    static func references(_ ending: String) -> [String] {
        guard let corpus else { return [] }
        let folder = corpus.appendingPathComponent("ref")
        guard let files = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        return files.compactMap { $0 as? String }.filter { $0.hasSuffix(ending) }
            .map { String($0.dropLast(ending.count)) }.sorted()
    }

    static func temporary(_ name: String) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("vplay-\(UUID().uuidString)-\(name)")
    }
}
