import PlayheadCore
import Synchronization

/// The files whose subtitles an item has besides its own: that of `--subtitle-file`, and those that clients add. All
/// members may be used from any thread.
final class SubtitleFiles: Sendable {
    struct File: Sendable {
        /// The number among the files, from 1. It stays the same when another file is removed.
        let number: Int
        let input: Input
        let asset: Asset
        let title: String?
        let language: String?
    }

    private let files = Mutex<[File]>([])

    var all: [File] { files.withLock { $0 } }

    /// Adds a file. It is shown only by `InputPlayback.show(_:)`.
    ///
    /// - Parameters:
    ///   - input: The file.
    ///   - asset: Its asset.
    ///   - title: The title of the track, or nil for the name of the file.
    ///   - language: The language, or nil if it is unknown.
    /// - Returns: The file.
    func add(_ input: Input, _ asset: Asset, title: String? = nil, language: String? = nil) -> File {
        files.withLock { files in
            let number = (files.last?.number ?? 0) + 1
            let file = File(number: number, input: input, asset: asset, title: title, language: language)
            files.append(file)
            return file
        }
    }

    func remove(_ file: File) { files.withLock { $0.removeAll { $0.number == file.number } } }
}
