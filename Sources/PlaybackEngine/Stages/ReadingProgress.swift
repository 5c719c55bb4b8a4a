import MediaCore
import PlayheadBackend

/// How far the demuxer has come in an epoch.
struct ReadingProgress {
    private(set) var epoch: Epoch
    /// Bytes of all packets that were read for tracks that are played, over all epochs.
    private(set) var bytes = 0
    /// A pass was read to an end that was asked for.
    private(set) var endedEarly = false
    /// A seek to in between reads nothing. Of the pass being read.
    private(set) var bufferedRange: (from: MediaTime, to: MediaTime)?
    /// Where the data was found to end, in item time; nil: reading has not come there, in any epoch.
    private(set) var dataEnd: MediaTime?
    private let tracks: Set<Int>
    private(set) var pass = 0
    /// Where the last packet ends, in item time: of the pass being read, and of the one before it.
    private var end: MediaTime?
    private var previousEnd: MediaTime?
    /// The same for each track, in nanoseconds.
    private var ends: [Int: Int64] = [:]
    /// Where the frames end, in nanoseconds of item time: of the pass being read as far as it was read, and of
    /// those that were read as a whole. nil: a packet does not say how long it lasts.
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
        videoEnd = 0
        videoEnds = [:]
    }

    /// All of the pass has been read. `isWhole`: up to where the data ends, not to an end that was asked for.
    mutating func finish(pass: Int, isWhole: Bool) {
        if isWhole, let end = end(ofPass: pass) { dataEnd = end }
        if !isWhole { endedEarly = true }
        videoEnds[pass] = videoEnd
        videoEnds[pass - Self.keptPassCount] = nil
        videoEnd = 0
    }

    /// Where the frames of `pass` end, before they are decoded; nil: not known.
    func videoEnd(ofPass pass: Int) -> Int64? { videoEnds[pass] }

    /// Short passes are read many at a time.
    private static let keptPassCount = 32

    /// Called for each packet of frames.
    mutating func noteVideo(_ packet: Packet) {
        guard let end = videoEnd, let time = packet.presentationTime?.nanoseconds,
            let length = packet.duration?.nanoseconds, length > 0
        else {
            videoEnd = nil
            return
        }
        videoEnd = max(end, time &+ length)
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
        }
        guard let time = packet.presentationTime ?? packet.decodeTime else { return }
        let packetEnd = time + (packet.duration ?? .zero)
        end = end.map { max($0, packetEnd) } ?? packetEnd
        if let packetEnd = packetEnd.nanoseconds {
            ends[packet.track] = max(ends[packet.track] ?? .min, packetEnd)
        }
    }

    /// The end of what was read of `pass`; nil: nothing yet. Reading may be one pass ahead, or several where
    /// they are short, and then the pass is there as a whole.
    func end(ofPass pass: Int) -> MediaTime? { pass == self.pass ? end : previousEnd }

    /// What is at hand around `time` of `pass`: what is kept of what was played, and what was read ahead. nil: nothing.
    func loaded(around time: MediaTime, pass: Int) -> (from: MediaTime, to: MediaTime)? {
        let end = end(ofPass: pass)
        // Reading may be in the next pass of a loop, and what is kept too.
        if let bufferedRange, bufferedRange.to >= time || pass == self.pass,
            bufferedRange.from <= time || pass == self.pass
        {
            return (min(bufferedRange.from, time), max(bufferedRange.to, end ?? bufferedRange.to))
        }
        guard let end, end > time else { return nil }
        return (time, end)
    }

    /// Nanoseconds of every track that were read from `time` on. A track that lies far behind the others in
    /// the file is over, or has little to say.
    func ahead(of time: ItemTime, pass: Int) -> Int64 {
        guard pass == self.pass else { return pass < self.pass ? .max : 0 }
        guard let latest = ends.values.max() else { return 0 }
        let counted = tracks.map { ends[$0] ?? time.nanoseconds }.filter {
            latest - $0 < Self.maximumInterleaveGap
        }
        return (counted.min() ?? latest) &- time.nanoseconds
    }

    /// Tracks are interleaved more closely than this.
    private static let maximumInterleaveGap: Int64 = 2_000_000_000
}

/// Reading has stopped by itself.
struct ReadIdle: Hashable, Sendable {
    let epoch: Epoch
    /// Tracks whose packets had all been taken when reading stopped. Nothing comes for them before the others
    /// have made room. A queue that is emptied afterwards is filled again at once.
    let emptyTracks: [Int]
}
