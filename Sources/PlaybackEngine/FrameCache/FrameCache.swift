import MediaCore
import PlayheadBackend

/// A cache of decoded frames for all items of the process, limited by bytes.
///
/// An item keeps two kinds of output in its share: whole passes (the complete output of a decoder in one pass,
/// for the next pass of a loop), and single video frames around a seek's target, for steps and seeks close to
/// it. Single frames are evicted first: the frame farthest from the position of its item, in the item that was
/// used least recently. A pass is evicted as a whole, and only if its item exceeds its fair share.
///
/// Every member may be called on any thread.
package final class FrameCache: Sendable {
    /// The cache that all players use.
    package static let shared = FrameCache()
    package static let defaultByteLimit = 64 << 20

    /// A leaf lock: nothing is called and nothing is released while it is held.
    private let contents: Locked<FrameCacheContents>

    package init(byteLimit: Int = defaultByteLimit) {
        contents = Locked(FrameCacheContents(byteLimit: byteLimit))
    }

    /// The byte limit. If it is 0, nothing is kept. A lower limit takes effect immediately.
    package var byteLimit: Int {
        get { contents.withLock { $0.byteLimit } }
        set { change { $0.setByteLimit(max(0, newValue)) } }
    }

    /// The number of bytes that are in use.
    package var byteCount: Int { contents.withLock { $0.byteCount } }

    /// Creates a share for one open item. Its contents are released with the share.
    func makeShare() -> FrameCacheShare {
        FrameCacheShare(self, contents.withLock { $0.makeShare() })
    }

    /// Changes the contents, and releases evicted frames outside the lock because releasing frames can be slow.
    @discardableResult
    fileprivate func change<Result>(_ body: (inout FrameCacheContents) -> Result) -> Result {
        let (result, released) = contents.withLock { contents in
            (body(&contents), contents.drainReleased())
        }
        withExtendedLifetime(released) {}
        return result
    }
}

/// The contents of the cache that belong to one open item.
final class FrameCacheShare: Sendable {
    private let cache: FrameCache
    private let id: Int

    fileprivate init(_ cache: FrameCache, _ id: Int) {
        self.cache = cache
        self.id = id
    }

    deinit { cache.change { [id] in $0.removeShare(id) } }

    /// The number of bytes that the item may hold if all other items with contents request more.
    var fairShareBytes: Int { cache.change { $0.fairShare(with: id) } }

    // MARK: Passes

    /// Begins to keep a pass of a track, replacing an older one.
    ///
    /// - Parameters:
    ///   - track: The `Track.id` of the track.
    ///   - expected: The approximate number of bytes of the pass.
    /// - Returns: False if the pass will not fit.
    func beginPass(of track: Int, expecting expected: Int) -> Bool {
        cache.change { $0.beginPass(id, track, expected) }
    }

    /// Updates the expected size of the pass that was begun. Returns false if it does not fit; the pass is then
    /// dropped.
    func expect(_ bytes: Int, of track: Int) -> Bool { cache.change { $0.expect(bytes, id, track) } }

    /// Appends an output to a pass. Returns false if it does not fit; the pass is then dropped.
    func append(_ output: DecoderOutput, of track: Int) -> Bool {
        cache.change { $0.append(output, id, track) }
    }

    /// Returns the output of a pass at an index, or nil if the pass has been evicted.
    func output(_ index: Int, of track: Int) -> DecoderOutput? {
        cache.change { $0.output(index, id, track) }
    }

    func dropPass(of track: Int) { cache.change { $0.dropPass(id, track) } }

    // MARK: Single frames

    /// Keeps a video frame of a record, unless the cache is full of frames that are closer to the item's
    /// position.
    func keep(_ frame: VideoFrame, of record: Int) { cache.change { $0.keep(frame, id, record) } }

    /// Returns the frame of a record that is due from `time` on, or nil if it is not in the cache.
    func frame(at time: MediaTime, of record: Int) -> VideoFrame? {
        cache.change { $0.frame(at: time, id, record) }
    }

    /// Returns the frame of any record that is nearest to a time, or nil if none is at most `distance` away.
    func frame(nearestTo time: MediaTime, within distance: MediaTime) -> VideoFrame? {
        cache.change { $0.frame(nearestTo: time, within: distance, id) }
    }

    /// Moves the frames of a record to another one. A frame that is kept later at the same time replaces one of record 0.
    func moveFrames(of record: Int, to other: Int) { cache.change { $0.moveFrames(id, record, to: other) } }

    func dropFrames(of record: Int) { cache.change { $0.dropFrames(id, record) } }

    /// Sets the position of the item. Frames far from it are evicted first.
    func setPosition(_ time: MediaTime) { cache.change { $0.setPosition(time, id) } }
}

extension DecoderOutput {
    /// The overhead besides the samples: libav's frame, the owners of its buffers, and our own objects.
    private static let overhead = 1024

    /// The number of bytes that the output uses.
    var byteCount: Int {
        switch self {
        case .video(let frame): frame.storage.byteCount &+ Self.overhead
        case .audio(let buffer):
            (buffer.offset &+ buffer.frameCount) &* buffer.format.bytesPerFrame &+ Self.overhead
        case .needsInput, .ended: 0
        }
    }
}
