package import Foundation

/// Real media that nobody here made, with FFmpeg's references: a folder that PLAYHEAD_CORPUS names.
package enum CorpusFolder {
    /// nil: the tests over real files are skipped.
    package static let url = ProcessInfo.processInfo.environment["PLAYHEAD_CORPUS"].flatMap {
        $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true).standardizedFileURL
    }
}
