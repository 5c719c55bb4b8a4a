internal import CFFmpeg
internal import MediaCore

/// A frame that lies on a device until somebody asks for its pixels: then it is read back, once for all who ask.
final class SurfaceStorage: VideoFrameStorage {
    typealias Download = @Sendable () throws(MediaError) -> FrameOwner

    private enum State {
        case onDevice(Download)
        case inMemory(FFmpegVideoStorage)
        /// Not even a black picture could be made.
        case lost
    }

    let byteCount: Int
    private let view: FrameView
    private let state: Locked<State>
    private let onFailure: @Sendable (MediaError) -> Void

    /// `onFailure` is told where the frame cannot be read back, which then is black. On the reader's thread.
    init(
        _ view: FrameView,
        byteCount: Int,
        download: @escaping Download,
        onFailure: @escaping @Sendable (MediaError) -> Void
    ) {
        self.view = view
        self.byteCount = byteCount
        self.onFailure = onFailure
        state = Locked(.onDevice(download))
    }

    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R {
        guard let memory else { return try body([]) }
        return try memory.withPlanes(body)
    }

    var isOnDevice: Bool { state.withLock { if case .onDevice = $0 { true } else { false } } }

    /// Reads it back where that was not done. Whoever asks meanwhile waits: it needs the same pixels.
    var memory: FFmpegVideoStorage? {
        let (memory, failure) = state.withLock { state -> (FFmpegVideoStorage?, MediaError?) in
            switch state {
            case .inMemory(let memory): return (memory, nil)
            case .lost: return (nil, nil)
            case .onDevice(let download):
                do throws(MediaError) {
                    let memory = FFmpegVideoStorage(try download())
                    state = .inMemory(memory)
                    return (memory, nil)
                } catch {
                    let black = Self.black(view)
                    state = black.map { .inMemory($0) } ?? .lost
                    return (black, error)
                }
            }
        }
        if let failure { onFailure(failure) }
        return memory
    }

    private static func black(_ view: FrameView) -> FFmpegVideoStorage? {
        do throws(MediaError) {
            return FFmpegVideoStorage(try view.black())
        } catch {
            // There is no memory left: the frame has no planes, and what failed is told all the same.
            return nil
        }
    }
}

extension FFmpegVideoStorage {
    /// The memory of a frame that this backend decoded, read back from a device where it is there; nil for others.
    static func of(_ storage: any VideoFrameStorage) -> FFmpegVideoStorage? {
        (storage as? SurfaceStorage)?.memory ?? storage as? FFmpegVideoStorage
    }
}

/// How many frames may lie on a device at a time: a decoder has few surfaces, and stands still without a free one.
///
/// Not safe for threads: used by the one who decodes.
struct SurfaceBudget {
    private struct Held { weak var storage: SurfaceStorage? }
    private var held: [Held] = []

    /// Frames that a player shows and has decoded ahead, and some for a filter and for sinks.
    static let limit = 8
    /// What a decoder is asked to have beside those that it needs itself: one more is being made.
    static let extraSurfaces = Int32(limit + 2)

    /// The oldest come into memory, where there are too many with this one.
    mutating func admit(_ storage: SurfaceStorage) {
        held.removeAll { $0.storage?.isOnDevice != true }
        while held.count >= Self.limit { _ = held.removeFirst().storage?.memory }
        held.append(Held(storage: storage))
    }
}
