import Foundation
internal import Glibc
import Playhead

/// A cache of posters for feeds and views: the first frame of each clip, in the size and format that a cell needs.
///
/// A file that is replaced under its name gets a new poster: files are distinguished by size and modification time as
/// well. Other clips are distinguished by their URL.
///
/// All members can be used from any thread.
public final class PosterCache: Sendable {
    /// The state of a file, which tells a clip from an earlier one with the same name.
    struct FileVersion: Hashable, Sendable {
        private let byteCount: Int64
        private let modified: Int64

        /// Reads the version of an asset's file. Nil if the asset is not a file that exists.
        init?(_ asset: Asset) {
            var status = stat()
            guard asset.url.isFileURL, stat(asset.url.path, &status) == 0 else { return nil }
            byteCount = Int64(status.st_size)
            modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        }
    }

    fileprivate struct Key: Hashable, Sendable {
        let url: URL
        let version: FileVersion?
        let shape: PosterShape
    }
    private struct State {
        var frames: [Key: VideoFrame] = [:]
        /// The keys by their last use, most recent last.
        var order: [Key] = []

        mutating func use(_ key: Key) {
            order.removeAll { $0 == key }
            order.append(key)
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
    public var count: Int { state.withLock { $0.frames.count } }

    /// Removes all posters.
    public func removeAll() { state.withLock { $0 = State() } }

    func poster(of asset: Asset, _ version: FileVersion?, _ shape: PosterShape) -> VideoFrame? {
        let key = Key(url: asset.url, version: version, shape: shape)
        return state.withLock { state in
            guard let frame = state.frames[key] else { return nil }
            state.use(key)
            return frame
        }
    }

    /// Makes a poster. `done` is called once, on any lane, with nil if no frame could be made. It is not called after
    /// the request has been released.
    func makePoster(
        of asset: Asset,
        _ version: FileVersion?,
        _ shape: PosterShape,
        _ configuration: Player.Configuration,
        done: @escaping @Sendable (VideoFrame?) -> Void
    ) -> PosterRequest {
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
        generator.pixelFormat = shape.pixelFormat
        generator.appliesPreferredTrackTransform = shape.isUpright
        let token = generator.requestImage(at: .zero) { [self] answer in
            guard case .success(let frame) = answer else { return done(nil) }
            let key = Key(url: asset.url, version: version, shape: shape)
            state.withLock { state in
                state.frames[key] = frame
                state.use(key)
                while state.order.count > limit { state.frames[state.order.removeFirst()] = nil }
            }
            done(frame)
        }
        return PosterRequest(generator: generator, token: token)
    }
}
