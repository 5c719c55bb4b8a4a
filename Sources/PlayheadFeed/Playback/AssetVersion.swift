import Foundation
internal import Glibc
import Playhead

/// The state of the bytes of an asset, which tells a clip from an earlier one with the same URL.
enum AssetVersion: Hashable, Sendable {
    /// A file, by its size and the time in nanoseconds at which it was modified.
    case file(byteCount: Int64, modified: Int64)
    /// The representation that a server has sent, by its validator.
    case representation(String)

    /// Reads the version of an asset. It may block if the asset is a file.
    ///
    /// Nil if there is no such file, if the asset has not been opened over the network yet, and if its server declares
    /// no validator.
    init?(_ asset: Asset) {
        guard asset.url.isFileURL else {
            guard let representation = asset.representation else { return nil }
            self = .representation(representation)
            return
        }
        var status = stat()
        guard stat(asset.url.path, &status) == 0 else { return nil }
        self = .file(
            byteCount: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        )
    }
}
