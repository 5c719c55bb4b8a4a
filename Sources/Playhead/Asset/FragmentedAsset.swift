public import Foundation
public import MediaCore
public import PlayheadBackend

/// A file that may grow while it is used, as a recording of fragments does. What is known of it is an `Asset`, which
/// never changes; while a `FragmentedAssetMinder` has it, another one takes its place when the file has grown.
public final class FragmentedAsset: Sendable {
    /// The object is the fragmented asset. Posted on a lane of the minder's.
    public static let durationDidChange = Notification.Name("Playhead.FragmentedAsset.durationDidChange")
    /// As above; the first fragment has come.
    public static let containsFragmentsDidChange =
        Notification.Name("Playhead.FragmentedAsset.containsFragmentsDidChange")

    /// What it was made with.
    public let url: URL
    /// How it is opened, each time it is looked at.
    public let options: AssetOptions
    private let backend: (any MediaBackend)?
    private let state: Locked<(asset: Asset, minders: Int)>

    /// Opened by FFmpeg (AVFragmentedAsset). Does no I/O.
    public convenience init(url: URL, options: AssetOptions = AssetOptions()) {
        self.init(url: url, options: options, ownBackend: nil)
    }

    /// With a backend of the caller's, which wins over a player's as an `Asset`'s does.
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

    /// The file as it was when it was last looked at. An item made of it plays as far as it went then.
    public var asset: Asset { state.withLock { $0.asset } }
    /// `.indefinite` until loaded, and until there is a fragment.
    public var duration: MediaTime { asset.duration }
    /// Whether there was a fragment when the file was last looked at.
    public var containsFragments: Bool { asset.containsFragments }
    /// Whether a minder looks at the file again and again.
    public var isAssociatedWithFragmentMinder: Bool { state.withLock { $0.minders > 0 } }

    /// See `Asset.load()`. Minders leave alone what has not been loaded.
    public func load() async throws(PlaybackError) { try await asset.load() }

    func minderCame() { state.withLock { $0.minders += 1 } }
    func minderWent() { state.withLock { $0.minders -= 1 } }

    /// Opens the file once more, which may block. Where it cannot be opened at present (half of a fragment is
    /// written) all stays as it was.
    func look() {
        let old = asset
        guard old.status == .loaded else { return }
        let new = Asset(url: url, options: options, ownBackend: backend)
        do throws(MediaError) {
            new.opened(.success(try new.makeDemuxer().open()))
        } catch {
            return
        }
        guard new.description != old.description else { return }
        state.withLock { $0.asset = new }
        let center = NotificationCenter.default
        if new.containsFragments != old.containsFragments {
            center.post(name: Self.containsFragmentsDidChange, object: self)
        }
        if new.duration != old.duration { center.post(name: Self.durationDidChange, object: self) }
    }
}
