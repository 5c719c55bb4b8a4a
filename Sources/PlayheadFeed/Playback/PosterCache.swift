import Foundation
import Playhead

/// A cache of posters for feeds and views: the first frame of each clip, in the size and format that a cell needs.
///
/// A clip that is replaced under its URL gets a new poster. Files are distinguished by size and modification time. Clips
/// of a server are distinguished by their entity tag, or by their date and length, which are known once the clip has been
/// opened: until then its last poster is shown. Posters of clips in memory (`DataByteSource`) are not kept, because
/// several of them may have one name.
///
/// All members can be used from any thread.
public final class PosterCache: Sendable {
    private struct Key: Hashable {
        let url: URL
        let shape: PosterShape
    }
    private struct Poster {
        let frame: VideoFrame
        let version: AssetVersion?
    }
    private struct State {
        var posters: [Key: Poster] = [:]
        /// The keys by their last use, most recent last.
        var order: [Key] = []

        mutating func use(_ key: Key) {
            order.removeAll { $0 == key }
            order.append(key)
        }

        mutating func remove(_ key: Key) {
            order.removeAll { $0 == key }
            posters[key] = nil
        }
    }
    private let state = Locked(State())
    private let limit: Int

    /// Creates a cache.
    ///
    /// - Parameter limit: The largest number of posters. The least recently used ones are removed first.
    public init(limit: Int = 50) { self.limit = max(0, limit) }

    /// The cache that feeds and views use by default.
    public static let shared = PosterCache()

    /// The number of posters in the cache.
    public var count: Int { state.withLock { $0.posters.count } }

    /// Removes all posters.
    public func removeAll() { state.withLock { $0 = State() } }

    /// Returns the poster of an asset. The poster of another version is removed.
    ///
    /// - Parameter version: The version of the asset, or nil if it is unknown.
    func poster(of asset: Asset, _ version: AssetVersion?, _ shape: PosterShape) -> VideoFrame? {
        guard Self.keepsPosters(of: asset) else { return nil }
        let key = Key(url: asset.url, shape: shape)
        return state.withLock { state in
            guard let poster = state.posters[key] else { return nil }
            // Only the version of a network asset can become known later.
            guard poster.version == version || version == nil && !asset.url.isFileURL else {
                state.remove(key)
                return nil
            }
            state.use(key)
            return poster.frame
        }
    }

    /// Returns whether the URL of an asset distinguishes it from other assets.
    private static func keepsPosters(of asset: Asset) -> Bool {
        !(asset.options.byteSource is DataByteSource)
    }

    /// Removes the posters of earlier representations of a network asset that has been opened.
    func removeOutdated(_ asset: Asset) {
        guard let version = asset.representation.map({ AssetVersion.representation($0) }) else { return }
        state.withLock { state in
            for (key, poster) in state.posters where key.url == asset.url && poster.version != version {
                state.remove(key)
            }
        }
    }

    /// Makes a poster. `done` is called once, on any lane. It is not called after the request has been released, except
    /// with the code `.cancelled`.
    func makePoster(
        of asset: Asset,
        _ version: AssetVersion?,
        _ shape: PosterShape,
        _ configuration: Player.Configuration,
        done: @escaping @Sendable (Result<VideoFrame, PlaybackError>) -> Void
    ) -> PosterRequest {
        asset.setDefaultNetworkOptions(configuration.network)
        let generator = ImageGenerator(
            asset: asset,
            clock: configuration.clock,
            backend: configuration.backend
        )
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        generator.targetSize = shape.size
        generator.videoGravity = shape.gravity
        generator.backgroundColor = shape.background
        generator.acceptedPixelFormats = shape.pixelFormats
        generator.appliesPreferredTrackTransform = shape.isUpright
        let token = generator.requestImage(at: .zero) { [self] result in
            if case .success(let frame) = result, Self.keepsPosters(of: asset) {
                let key = Key(url: asset.url, shape: shape)
                // Opening a network asset has revealed its version.
                let poster = Poster(frame: frame, version: version ?? AssetVersion(asset))
                state.withLock { state in
                    state.posters[key] = poster
                    state.use(key)
                    while state.order.count > limit { state.posters[state.order.removeFirst()] = nil }
                }
            }
            done(result)
        }
        return PosterRequest(generator: generator, token: token)
    }
}
