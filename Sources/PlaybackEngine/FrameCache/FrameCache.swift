import MediaCore
import PlayheadBackend

/// Decoded frames that are kept for later, of all items of the process and within one budget of bytes.
///
/// An item keeps two sorts of them in its share: laps (all that a decoder gave in one pass through the item,
/// for the next pass of a loop), and single video frames around the place of a seek, for steps and seeks near
/// by. Where room is needed, single frames leave first: of the item that was used longest ago, the one that
/// is farthest from where that item stands. A lap leaves as a whole, and only where the item has more than
/// its fair part.
///
/// Every member may be called from any thread.
package final class FrameCache: Sendable {
    /// The cache that players use.
    package static let shared = FrameCache()
    package static let defaultByteLimit = 64 << 20

    /// Leaf lock: nothing is called while it is held, and nothing is freed.
    private let contents: Locked<FrameCacheContents>

    package init(byteLimit: Int = defaultByteLimit) {
        contents = Locked(FrameCacheContents(byteLimit: byteLimit))
    }

    /// Bytes that frames may hold; 0: nothing is kept. A lower limit takes effect at once.
    package var byteLimit: Int {
        get { contents.withLock { $0.byteLimit } }
        set { change { $0.setByteLimit(max(0, newValue)) } }
    }

    /// Bytes that frames hold now.
    package var byteCount: Int { contents.withLock { $0.byteCount } }

    /// A share for one open item. What it keeps leaves with the object.
    func makeShare() -> FrameCacheShare {
        FrameCacheShare(self, contents.withLock { $0.makeShare() })
    }

    /// What leaves is freed outside the lock, because freeing frames can be slow.
    @discardableResult
    fileprivate func change<Result>(_ body: (inout FrameCacheContents) -> Result) -> Result {
        let (result, released) = contents.withLock { contents in
            (body(&contents), contents.drainReleased())
        }
        withExtendedLifetime(released) {}
        return result
    }
}

/// What one open item keeps in the cache.
final class FrameCacheShare: Sendable {
    private let cache: FrameCache
    private let id: Int

    fileprivate init(_ cache: FrameCache, _ id: Int) {
        self.cache = cache
        self.id = id
    }

    deinit { cache.change { [id] in $0.removeShare(id) } }

    /// What the item may hold, where all others that hold something want more.
    var fairShareBytes: Int { cache.change { $0.fairShare(with: id) } }

    // MARK: Laps

    /// Begins to keep a lap of `track`, in place of an older one. `expected`: about how many bytes it will
    /// take. False: there will be no room for it.
    func beginPass(of track: Int, expecting expected: Int) -> Bool {
        cache.change { $0.beginPass(id, track, expected) }
    }

    /// The lap that was begun will take about so many bytes. False: there is no room, and the lap is dropped.
    func expect(_ bytes: Int, of track: Int) -> Bool { cache.change { $0.expect(bytes, id, track) } }

    /// False: there is no room, and the lap is dropped.
    func append(_ output: DecoderOutput, of track: Int) -> Bool {
        cache.change { $0.append(output, id, track) }
    }

    /// What the decoder of `track` gave as its `index`th output; nil: the lap had to leave.
    func output(_ index: Int, of track: Int) -> DecoderOutput? {
        cache.change { $0.output(index, id, track) }
    }

    func dropPass(of track: Int) { cache.change { $0.dropPass(id, track) } }

    // MARK: Single frames

    /// Keeps a video frame of `run`, unless others are nearer to where the item stands.
    func keep(_ frame: VideoFrame, of record: Int) { cache.change { $0.keep(frame, id, record) } }

    /// The frame of `run` that is due from `time` on; nil: it is not kept.
    func frame(at time: MediaTime, of record: Int) -> VideoFrame? {
        cache.change { $0.frame(at: time, id, record) }
    }

    func dropFrames(of record: Int) { cache.change { $0.dropFrames(id, record) } }

    /// Where the item stands: frames far from there leave first.
    func setPosition(_ time: MediaTime) { cache.change { $0.setPosition(time, id) } }
}

extension DecoderOutput {
    /// Beside the samples: libav's frame, its buffers' owners and our own objects.
    private static let overhead = 1024

    /// Bytes that the output holds.
    var byteCount: Int {
        switch self {
        case .video(let frame): frame.storage.byteCount &+ Self.overhead
        case .audio(let buffer):
            (buffer.offset &+ buffer.frameCount) &* buffer.format.bytesPerFrame &+ Self.overhead
        case .needsInput, .ended: 0
        }
    }
}
