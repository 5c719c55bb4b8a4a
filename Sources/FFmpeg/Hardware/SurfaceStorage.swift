internal import CFFmpeg
internal import MediaCore

/// A frame that stays on its device until its pixels are needed. It is then read back once for all readers.
final class SurfaceStorage: VideoFrameStorage {
    typealias Download = @Sendable () throws(MediaError) -> FrameOwner

    private enum State {
        case onDevice(Download)
        case inMemory(FFmpegVideoStorage)
        /// Not even a black frame could be allocated.
        case lost
    }

    let byteCount: Int
    private let view: FrameView
    private let state: Locked<State>
    private let onFailure: @Sendable (MediaError) -> Void

    /// Creates storage. `onFailure` is called on the reader's thread if the frame cannot be read back; the frame is
    /// then black.
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

    /// The frame in memory. It is read back if necessary; concurrent readers wait, because they need the same pixels.
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
            // There is no memory. The frame has no planes, and the original error is still reported.
            return nil
        }
    }
}

extension FFmpegVideoStorage {
    /// Returns the memory of a frame that this backend decoded, after reading it back from a device if necessary.
    /// Returns nil for other frames.
    static func of(_ storage: any VideoFrameStorage) -> FFmpegVideoStorage? {
        (storage as? SurfaceStorage)?.memory ?? storage as? FFmpegVideoStorage
    }
}

/// The limit of frames on a device. A decoder has few surfaces and stops if none is free.
///
/// It is not thread-safe and is used by the decoder.
struct SurfaceBudget {
    private var held: [WeakReference<SurfaceStorage>] = []

    /// The number of frames that a player shows and decodes ahead, plus some for a filter and for sinks.
    static let limit = 8
    /// The number of surfaces that a decoder allocates beyond its own needs, including one that is being decoded.
    static let extraSurfaces = Int32(limit + 2)

    /// Adds a frame. If there are too many on the device, the oldest are copied to memory.
    mutating func admit(_ storage: SurfaceStorage) {
        held.removeAll { $0.object?.isOnDevice != true }
        while held.count >= Self.limit { _ = held.removeFirst().object?.memory }
        held.append(WeakReference(storage))
    }
}
