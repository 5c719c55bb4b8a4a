import Foundation
import Playhead

/// A cache of posters for feeds and views: the first frame of each clip, in the size and format that a cell needs.
///
/// All members can be used from any thread.
public final class PosterCache: Sendable {
    fileprivate struct Key: Hashable, Sendable {
        let url: URL
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

    func poster(of asset: Asset, _ shape: PosterShape) -> VideoFrame? {
        let key = Key(url: asset.url, shape: shape)
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
        _ shape: PosterShape,
        clock: ClockMode,
        done: @escaping @Sendable (VideoFrame?) -> Void
    ) -> PosterRequest {
        let generator = ImageGenerator(asset: asset, clock: clock)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        generator.targetSize = shape.size
        generator.videoGravity = shape.gravity
        generator.pixelFormat = shape.pixelFormat
        generator.appliesPreferredTrackTransform = shape.isUpright
        let token = generator.requestImage(at: .zero) { [self] answer in
            guard case .success(let frame) = answer else { return done(nil) }
            let key = Key(url: asset.url, shape: shape)
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
