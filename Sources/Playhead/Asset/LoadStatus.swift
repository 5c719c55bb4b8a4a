import Foundation
import HLS
import MediaCore
import Network
import PlaybackEngine
import PlayheadBackend

/// How far loading an asset has come (AVKeyValueStatus).
public enum LoadStatus: String, Hashable, Sendable {
    /// Nobody has asked yet, or nobody waits any more.
    case unknown
    /// It is being opened.
    case loading
    /// All that opening teaches is there, and never changes.
    case loaded
    /// It cannot be opened; `Asset.error` says why.
    case failed
    /// `Asset.cancelLoading()` was called before it was loaded.
    case cancelled
}
