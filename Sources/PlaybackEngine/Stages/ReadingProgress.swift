import MediaCore
import PlayheadBackend

/// The progress of the demuxer in an epoch.
struct ReadingProgress {
    private(set) var epoch: Epoch
    /// The number of bytes of all packets read for enabled tracks, over all epochs.
    private(set) var bytes = 0
    /// True if a pass was read up to a requested end time.
    private(set) var endedEarly = false
    /// The range within which a seek reads nothing, in the pass being read.
    private(set) var bufferedRange: (from: MediaTime, to: MediaTime)?
    /// The end of the data in item time, or nil if reading has not reached it in any epoch.
    private(set) var dataEnd: MediaTime?
    private let tracks: Set<Int>
    private(set) var pass = 0
    /// The end of the last packet in item time, for the pass being read and for the pass before.
    private var end: MediaTime?
    private var previousEnd: MediaTime?
    /// The end of the last packet of each track, in nanoseconds of item time.
    private var ends: [Int: Int64] = [:]
    /// The time of the first packet of the pass, in nanoseconds of item time.
    private var start: Int64?
    /// The end of the video frames in nanoseconds of item time: `videoEnd` for the part of the current pass
    /// that has been read, `videoEnds` for passes that have been read completely. Nil if a packet declares no
    /// duration.
    private var videoEnd: Int64? = 0
    private var videoEnds: [Int: Int64] = [:]

    init(epoch: Epoch, tracks: Set<Int>) {
        self.epoch = epoch
        self.tracks = tracks
    }

    mutating func begin(_ epoch: Epoch) {
        self.epoch = epoch
        pass = 0
        end = nil
        previousEnd = nil
        ends = [:]
        start = nil
        videoEnd = 0
        videoEnds = [:]
    }

    /// Records that a pass has been read completely.
    ///
    /// - Parameters:
    ///   - pass: The number of the pass.
    ///   - reachedDataEnd: True if it was read up to the end of the data, and not up to a requested end time.
    mutating func finish(pass: Int, reachedDataEnd: Bool) {
        if reachedDataEnd, let end = end(ofPass: pass) { dataEnd = end }
        if !reachedDataEnd { endedEarly = true }
        videoEnds[pass] = videoEnd
        videoEnds[pass - Self.keptPassCount] = nil
        videoEnd = 0
    }

    /// Returns the end of the video frames of a pass before they are decoded, or nil if it is unknown.
    func videoEnd(ofPass pass: Int) -> Int64? { videoEnds[pass] }

    /// The number of passes whose end is kept. Several short passes are read ahead at a time.
    private static let keptPassCount = 32

    /// Records a packet of the video track.
    mutating func noteVideo(_ packet: Packet) {
        if packet.isDiscarded { return }
        guard let end = videoEnd, let time = packet.presentationTime?.nanoseconds,
            let length = packet.duration?.nanoseconds, length > 0
        else {
            videoEnd = nil
            return
        }
        videoEnd = max(end, time.addingClamped(length))
    }

    mutating func note(
        _ packet: Packet,
        pass: Int,
        isNew: Bool,
        bufferedRange: (from: MediaTime, to: MediaTime)?
    ) {
        if isNew { bytes += packet.byteCount }
        self.bufferedRange = bufferedRange
        if pass != self.pass {
            self.pass = pass
            previousEnd = end
            end = nil
            ends = [:]
            start = nil
        }
        guard !packet.isDiscarded, let time = packet.presentationTime ?? packet.decodeTime else { return }
        start = start ?? time.nanoseconds
        let packetEnd = time + (packet.duration ?? .zero)
        end = end.map { max($0, packetEnd) } ?? packetEnd
        if let packetEnd = packetEnd.nanoseconds {
            ends[packet.track] = max(ends[packet.track] ?? .min, packetEnd)
        }
    }

    /// Returns the end of the data read of a pass, or nil if there is none.
    ///
    /// Reading may be one pass ahead, or several if they are short; the given pass has then been read
    /// completely.
    func end(ofPass pass: Int) -> MediaTime? { pass == self.pass ? end : previousEnd }

    /// Returns the range around `time` that is available: the kept part of what has been played, and what has
    /// been read ahead. Returns nil if there is none.
    func loaded(around time: MediaTime, pass: Int) -> (from: MediaTime, to: MediaTime)? {
        let end = end(ofPass: pass)
        // Reading, and the history, may already be in the next pass of a loop.
        if let bufferedRange, bufferedRange.to >= time || pass == self.pass,
            bufferedRange.from <= time || pass == self.pass
        {
            return (min(bufferedRange.from, time), max(bufferedRange.to, end ?? bufferedRange.to))
        }
        guard let end, end > time else { return nil }
        return (time, end)
    }

    /// The times to which a seek can be performed without reading, or nil if there are none.
    ///
    /// A margin covers what is released before the seek begins, and tracks that end before the last packet.
    var keptRange: MediaTimeRange? {
        guard let bufferedRange else { return nil }
        let start = bufferedRange.from > .zero ? bufferedRange.from + Self.keptRangeMargin : .zero
        let end = dataEnd == nil ? bufferedRange.to - Self.keptRangeMargin : bufferedRange.to
        return start < end ? MediaTimeRange(start: start, end: end) : nil
    }

    /// The margin of `keptRange`: 1 s. The end of the data needs none.
    private static let keptRangeMargin = MediaTime(value: 1, timescale: 1)

    /// Returns the duration in nanoseconds that has been read of every track from `time` on.
    ///
    /// A track whose data ends far before that of the others has ended, or is sparse, and is not counted.
    func ahead(of time: ItemTime, pass: Int) -> Int64 {
        guard pass == self.pass else { return pass < self.pass ? .max : 0 }
        guard let latest = ends.values.max() else { return 0 }
        let counted = tracks.map { ends[$0] ?? time.nanoseconds }.filter {
            latest.subtractingClamped($0) < Self.maximumInterleaveGap
        }
        return (counted.min() ?? latest).subtractingClamped(time.nanoseconds)
    }

    /// Returns whether a track has no data where the others have been read: it has ended, or is sparse.
    func isOver(_ track: Int) -> Bool {
        guard let latest = ends.values.max(), let start else { return false }
        return latest.subtractingClamped(ends[track] ?? start) >= Self.maximumInterleaveGap
    }

    /// The largest distance between interleaved tracks.
    private static let maximumInterleaveGap: Int64 = 2_000_000_000
}

/// The state of a demuxing stage that has stopped reading because the limits are reached or the data has ended.
struct ReadIdle: Hashable, Sendable {
    let epoch: Epoch
    /// The tracks whose queues were empty when reading stopped. They receive no packets before the other queues
    /// have been drained. A queue that is emptied later is filled again immediately.
    let emptyTracks: [Int]
}
