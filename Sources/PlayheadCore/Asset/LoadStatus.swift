import FoundationEssentials
import HLS
import MediaCore
import Network
import PlaybackEngine
import PlayheadBackend

/// The loading status of an asset.
public enum LoadStatus: String, Hashable, Sendable {
    /// Loading has not been requested, or all callers have been cancelled.
    case unknown
    /// The asset is being opened.
    case loading
    /// All properties are available and do not change any more.
    case loaded
    /// The asset cannot be opened; `Asset.error` says why.
    case failed
    /// `Asset.cancelLoading()` was called before the asset was loaded.
    case cancelled
}
