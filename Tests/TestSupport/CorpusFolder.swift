package import Foundation

/// The folder of real media files with FFmpeg's reference hashes, set by the environment variable PLAYHEAD_CORPUS.
package enum CorpusFolder {
    /// The folder, or nil if it is not set. Tests of real files are skipped then.
    package static let url = ProcessInfo.processInfo.environment["PLAYHEAD_CORPUS"].flatMap {
        $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true).standardizedFileURL
    }
}
