public import Foundation
public import MediaCore
public import PlayheadBackend

/// A file that may grow while it is used, such as a recording of movie fragments.
///
/// `asset` is the file as it was last examined. An `Asset` never changes: when a `FragmentedAssetMinder` finds that the
/// file has grown, it replaces `asset` by a new one.
public final class FragmentedAsset: Sendable {
    /// Posted when the duration has changed. The object is the fragmented asset. Posted on a lane of the minder.
    public static let durationDidChange = Notification.Name("Playhead.FragmentedAsset.durationDidChange")
    /// Posted when the first fragment has been found. The object is the fragmented asset. Posted on a lane of the
    /// minder.
    public static let containsFragmentsDidChange =
        Notification.Name("Playhead.FragmentedAsset.containsFragmentsDidChange")

    /// The URL that the asset was created with.
    public let url: URL
    /// The options that the file is opened with each time it is examined.
    public let options: AssetOptions
    private let backend: (any MediaBackend)?
    private let state: Locked<(asset: Asset, minders: Int)>

    /// Creates a fragmented asset that FFmpeg opens. Does no I/O.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - options: How to open the file.
    public convenience init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(url: url, options: options, ownBackend: nil)
    }

    /// Creates a fragmented asset with a backend of its own, which takes precedence over a player's backend.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - options: How to open the file.
    ///   - backend: The backend that opens the file.
    public convenience init(
        url: URL,
        options: AssetOptions = AssetOptions(),
        backend: any MediaBackend
    ) {
        self.init(url: url, options: options, ownBackend: backend)
    }

    private init(url: URL, options: AssetOptions, ownBackend backend: (any MediaBackend)?) {
        self.url = url
        self.options = options
        self.backend = backend
        state = Locked((Asset(url: url, options: options, ownBackend: backend), 0))
    }

    /// The file as it was when it was last examined. An item with this asset plays up to the end that was known then.
    public var asset: Asset { state.withLock { $0.asset } }
    /// The duration when the file was last examined. `.indefinite` until the asset is loaded, and until there is a
    /// fragment.
    public var duration: MediaTime { asset.duration }
    /// Whether the file contained a fragment when it was last examined.
    public var containsFragments: Bool { asset.containsFragments }
    /// Whether a minder examines the file periodically.
    public var isAssociatedWithFragmentMinder: Bool { state.withLock { $0.minders > 0 } }

    /// Loads the asset; see `Asset.load()`. Minders ignore assets that have not been loaded.
    ///
    /// - Throws: `PlaybackError` if the file cannot be opened, or with the code `.cancelled` if the task was cancelled.
    public func load() async throws(PlaybackError) { try await asset.load() }

    func addMinder() { state.withLock { $0.minders += 1 } }
    func removeMinder() { state.withLock { $0.minders -= 1 } }

    /// Opens the file again, which may block. If it cannot be opened, for example because a fragment is only half
    /// written, nothing changes.
    func refresh() {
        let old = asset
        guard old.status == .loaded else { return }
        let new = Asset(url: url, options: options, ownBackend: backend)
        do throws(MediaError) {
            new.opened(.success(try new.makeDemuxer().open().get()))
        } catch {
            return
        }
        guard new.media != old.media else { return }
        state.withLock { $0.asset = new }
        let center = NotificationCenter.default
        if new.containsFragments != old.containsFragments {
            center.post(name: Self.containsFragmentsDidChange, object: self)
        }
        if new.duration != old.duration { center.post(name: Self.durationDidChange, object: self) }
    }
}
