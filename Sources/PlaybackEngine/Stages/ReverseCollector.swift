import DequeModule
import MediaCore

/// Where reverse play reads next: from the sync point before `target` up to `limit`. Written by the decoding
/// stage, which alone knows how far back it has come; read by the demuxing stage.
struct ReverseSegment: Hashable, Sendable {
    var epoch: Epoch
    /// Counts segments; stands in the packets' `pass`.
    var number: Int
    var target: MediaTime
    var limit: MediaTime
    /// Whether a frame due at `limit` itself is wanted: only where reverse play begins.
    var includesLimit: Bool

    /// Where an epoch that plays backward begins.
    init(_ start: EpochStart) {
        let from = start.firstWanted ?? .zero
        self.init(epoch: start.epoch, number: 0, target: from, limit: from, includesLimit: true)
    }

    init(epoch: Epoch, number: Int, target: MediaTime, limit: MediaTime, includesLimit: Bool) {
        self.epoch = epoch
        self.number = number
        self.target = target
        self.limit = limit
        self.includesLimit = includesLimit
    }

    /// Whether decoding up to here is enough: what comes later in decoding order is due later still.
    func isPastLimit(_ decodeTime: MediaTime) -> Bool {
        includesLimit ? decodeTime > limit : decodeTime >= limit
    }

    /// From `time` on backward, where that lies before.
    func skipping(to time: MediaTime) -> ReverseSegment {
        guard time < limit else { return self }
        var next = self
        next.limit = time
        next.target = min(target, time)
        next.includesLimit = true
        return next
    }

    func contains(_ time: MediaTime) -> Bool { includesLimit ? time <= limit : time < limit }
}

/// Gathers the frames of one segment, decoded forward, to be shown backward.
///
/// A group of pictures that is larger than memory allows is decoded again for each part of it: the newest
/// frames that fit are kept, and the next segment ends where they begin.
struct ReverseCollector {
    private(set) var segment: ReverseSegment
    /// Where the sync point lies: frames before it lack what they refer to, and belong to the group before.
    var syncPointTime: MediaTime?
    private var frames: Deque<VideoFrame> = []
    private var bytes = 0

    /// Decoded pictures kept of one segment: twenty of 1080p, or five of 4K. As many may still be waiting to be
    /// shown.
    static let byteLimit = 64 << 20
    private let byteLimit: Int

    init(_ segment: ReverseSegment, byteLimit: Int = Self.byteLimit) {
        self.segment = segment
        self.byteLimit = byteLimit
    }

    mutating func append(_ frame: VideoFrame) {
        let time = frame.presentationTime
        guard segment.contains(time), time >= syncPointTime ?? time else { return }
        frames.append(frame)
        bytes += frame.storage.byteCount
        while bytes > byteLimit, frames.count > 1 {
            bytes -= frames.removeFirst().storage.byteCount
        }
    }

    /// The frames, latest first, and where to go on; nil: there is nothing earlier.
    func finish(reverseEnd: MediaTime) -> (frames: [VideoFrame], next: ReverseSegment?) {
        let start = frames.first?.presentationTime
        var next = segment
        next.number += 1
        if let start {
            guard start > max(.zero, reverseEnd) else {
                // The frame due at the end is the last one that is wanted.
                let last = frames.lastIndex { $0.presentationTime <= reverseEnd } ?? 0
                return (frames[last...].reversed(), nil)
            }
            next.limit = start
            next.includesLimit = false
            // The tick before, whatever the container's time base.
            let before = (start.nanoseconds ?? 0) - 1
            next.target = MediaTime(nanoseconds: max(0, before))
        } else {
            // Nothing there: the container's index is off. From the start everything is found.
            guard segment.target > .zero else { return ([], nil) }
            next.target = .zero
        }
        return (frames.reversed(), next)
    }
}
