import Foundation
import Playhead

/// Posters that were made, for feeds and views: the first frame of each clip, in the shape that a cell wants. Any thread.
public final class PosterCache: Sendable {
    fileprivate struct Key: Hashable, Sendable {
        let url: URL
        let shape: PosterShape
    }
    private struct State {
        var frames: [Key: VideoFrame] = [:]
        /// The one used last is at the end.
        var order: [Key] = []

        mutating func use(_ key: Key) {
            order.removeAll { $0 == key }
            order.append(key)
        }
    }
    private let state = Locked(State())
    private let limit: Int

    /// Keeps so many posters at most; those that nobody wanted for the longest time go first.
    public init(limit: Int = 50) { self.limit = max(0, limit) }

    /// What feeds and views use that are given no other one.
    public static let shared = PosterCache()

    /// How many there are.
    public var count: Int { state.withLock { $0.frames.count } }

    /// Forgets all.
    public func removeAll() { state.withLock { $0 = State() } }

    func poster(of asset: Asset, _ shape: PosterShape) -> VideoFrame? {
        let key = Key(url: asset.url, shape: shape)
        return state.withLock { state in
            guard let frame = state.frames[key] else { return nil }
            state.use(key)
            return frame
        }
    }

    /// `done` is called once, on some lane, with nil where there is no picture; not any more when the request goes.
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
