import DequeModule
import MediaCore

/// A segment of reverse playback: the data from the sync point before `target` up to `limit`.
///
/// The decoding stage writes it, because only that stage knows how far back it has decoded; the demuxing stage
/// reads it.
struct ReverseSegment: Hashable, Sendable {
    var epoch: Epoch
    /// The number of the segment, which is also the `pass` of its packets.
    var number: Int
    var target: MediaTime
    var limit: MediaTime
    /// Whether a frame due exactly at `limit` is included, which is the case only where reverse playback
    /// begins.
    var includesLimit: Bool

    /// Creates the first segment of an epoch of reverse playback.
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

    /// Returns whether the segment ends before a packet with this decode time. Later packets in decoding order
    /// are due even later.
    func isPastLimit(_ decodeTime: MediaTime) -> Bool {
        includesLimit ? decodeTime > limit : decodeTime >= limit
    }

    /// Returns the segment that plays backward from `time`, if `time` precedes its limit.
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

/// Collects the frames of one segment, which are decoded forward and shown backward.
///
/// The frames of a segment that is decoded ahead of need are kept in the cache. If some have been evicted when they are
/// needed, the frames after them are shown, and the next segment ends where those begin.
///
/// A group of pictures that exceeds the memory limit is decoded once for each part: the latest frames that fit
/// are kept, and the next segment ends where they begin.
struct ReverseCollector {
    private(set) var segment: ReverseSegment
    /// The time of the sync point. Frames before it lack their references and belong to the group before.
    var syncPointTime: MediaTime?
    private var frames: Deque<VideoFrame> = []
    private var bytes = 0
    /// The frames that are kept in the cache, or nil if the segment is not decoded ahead.
    private var kept: KeptFrames?

    private struct KeptFrames {
        let share: FrameCacheShare
        let record: Int
        var times: [MediaTime] = []
        /// Whether frames have the same time, so that the cache cannot distinguish them.
        var isAmbiguous = false

        /// Removes all frames from the cache, and returns the latest ones that fit into `byteLimit` and that follow
        /// the last one that was evicted.
        func remainingFrames(byteLimit: Int) -> Deque<VideoFrame> {
            defer { share.dropFrames(of: record) }
            var frames: Deque<VideoFrame> = []
            var bytes = 0
            guard !isAmbiguous else { return frames }
            for time in times.reversed() {
                guard let frame = share.frame(at: time, of: record) else { break }
                bytes += frame.storage.byteCount
                if bytes > byteLimit, !frames.isEmpty { break }
                frames.prepend(frame)
            }
            return frames
        }
    }

    /// The byte limit for the frames of one segment: about twenty frames of 1080p, or five of 4K. As many may
    /// still be waiting for presentation.
    static let byteLimit = 64 << 20
    private let byteLimit: Int

    init(_ segment: ReverseSegment, byteLimit: Int = Self.byteLimit) {
        self.segment = segment
        self.byteLimit = byteLimit
    }

    /// Whether the frames can be kept in a cache from now on.
    var canDecodeAhead: Bool { frames.isEmpty }

    /// Whether the frames are kept in the cache.
    var isKept: Bool { kept != nil }

    /// Keeps the frames that follow in a cache. There may be none yet.
    mutating func keep(in share: FrameCacheShare) {
        guard kept == nil, canDecodeAhead else { return }
        // Seeks use positive identifiers.
        kept = KeptFrames(share: share, record: -1 - segment.number)
        share.setPosition(segment.limit)
    }

    /// Removes the frames from the cache, because they will not be shown.
    func discard() { kept.map { $0.share.dropFrames(of: $0.record) } }

    mutating func append(_ frame: VideoFrame) {
        let time = frame.presentationTime
        guard segment.contains(time), time >= syncPointTime ?? time else { return }
        if let kept {
            if let last = kept.times.last, last >= time { self.kept?.isAmbiguous = true }
            self.kept?.times.append(time)
            kept.share.keep(frame, of: kept.record)
            return
        }
        frames.append(frame)
        bytes += frame.storage.byteCount
        while bytes > byteLimit, frames.count > 1 {
            bytes -= frames.removeFirst().storage.byteCount
        }
    }

    /// Returns the frames, latest first, and the next segment, or nil if there is nothing earlier.
    func finish(reverseEnd: MediaTime) -> (frames: [VideoFrame], next: ReverseSegment?) {
        var frames = frames
        var next = segment
        next.number += 1
        if let kept, !kept.times.isEmpty {
            frames = kept.remainingFrames(byteLimit: byteLimit)
            // All have been evicted, so the segment is decoded again.
            if frames.isEmpty { return ([], next) }
        }
        let start = frames.first?.presentationTime
        if let start {
            guard start > max(.zero, reverseEnd) else {
                // The frame due at the end time is the last one to be shown.
                let last = frames.lastIndex { $0.presentationTime <= reverseEnd } ?? 0
                return (frames[last...].reversed(), nil)
            }
            next.limit = start
            next.includesLimit = false
            // One nanosecond before, in any time base of the container.
            let before = (start.nanoseconds ?? 0) - 1
            next.target = MediaTime(nanoseconds: max(0, before))
        } else {
            // The container's index is inexact. From the start, every frame is found.
            guard segment.target > .zero else { return ([], nil) }
            next.target = .zero
        }
        return (frames.reversed(), next)
    }
}
