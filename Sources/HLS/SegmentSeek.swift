internal import MediaCore
internal import PlayheadBackend

/// A seek in progress, from the segment that contains the target to a sync point. It can be resumed.
///
/// Confined to the lane of its demuxer.
struct SegmentSeek {
    /// The result of searching from a segment on.
    private enum Result {
        /// The next packet to read is the sync point.
        case found
        /// The sync point is in an earlier segment.
        case isEarlier
        /// The times of the media show that the target is far from the segment.
        case isElsewhere
    }

    private let target: MediaTime
    private let preference: SeekPreference
    private let rendition: Rendition
    private let track: Int?
    /// The latest time at which a sync point counts as before the target.
    private let goal: MediaTime
    /// The number of segments before the target's segment that the search has moved back.
    private var segmentsBack = 0
    private var isPositioned = false
    /// The ratio of the times in the playlist, whose durations are rounded, to those of the media.
    private var scale = 1.0
    /// The number of times that the search may continue at another segment because of that ratio.
    private var correctionsLeft = 3
    /// The item time of the segment according to the playlist, before its first packet has been read.
    private var declaredStart: MediaTime?
    private var isFound = false
    /// The moves of the other renditions.
    private var alignments: [SegmentAlignment] = []
    /// The packets from the sync point on, and earlier packets of other tracks.
    private var keptPackets: [Packet] = []
    /// The time of the sync point.
    private var syncPointTime: MediaTime?
    /// Whether a sync point after the target is accepted because there is no earlier one.
    private var acceptsAnySyncPoint = false

    /// The duration that audio decoders need before the target, for overlapping windows and bit reservoirs.
    private let audioPreroll: MediaTime
    private static let usualAudioPreroll = MediaTime(value: 150, timescale: 1000)
    /// The duration before the sync point for which packets of other tracks are kept.
    private static let otherTracksMargin = MediaTime(value: 1, timescale: 2)

    init(
        _ target: MediaTime,
        _ preference: SeekPreference,
        _ rendition: Rendition,
        track: Track?,
        tracks: [Track]
    ) {
        self.target = target
        self.preference = preference
        self.rendition = rendition
        self.track = track?.id
        audioPreroll = tracks.preroll(usual: Self.usualAudioPreroll)
        let isAudio = track?.mediaType == .audio
        goal = isAudio && preference == .atOrBefore ? target - audioPreroll : target
    }

    /// Returns true if the seek has these parameters.
    func isFor(_ target: MediaTime, _ preference: SeekPreference, _ rendition: Rendition) -> Bool {
        self.target == target && self.preference == preference && self.rendition === rendition
    }

    /// Continues the seek.
    ///
    /// - Returns: `.pending` if the call must be repeated when the context is woken.
    /// - Throws: `MediaError` if a segment cannot be read.
    mutating func resume(others: [Rendition], _ context: ReadContext) throws(MediaError) -> Poll<Void> {
        while true {
            if !isPositioned { try position(others, context) }
            // At the beginning no sync point is needed: all packets are read again.
            if target <= .zero { return .ready(()) }
            if isFound { return try align(context) }
            guard case .ready(let result) = try search() else { return .pending }
            switch result {
            case .found:
                isFound = true
                rendition.putBack(keptPackets)
                keptPackets = []
            case .isEarlier:
                // A group of pictures may span many segments, which would be read once for each step back.
                segmentsBack = max(1, 2 * segmentsBack)
                isPositioned = false
            case .isElsewhere: isPositioned = false
            }
        }
    }

    /// Moves the other renditions to the sync point.
    private mutating func align(_ context: ReadContext) throws(MediaError) -> Poll<Void> {
        let start = (syncPointTime ?? target) - audioPreroll
        for index in alignments.indices {
            guard case .ready = try alignments[index].resume(until: start, context) else { return .pending }
        }
        return .ready(())
    }

    /// Moves all renditions to the segments where the search begins.
    private mutating func position(_ others: [Rendition], _ context: ReadContext) throws(MediaError) {
        let scaled = scale == 1 ? goal : .seconds(goal.seconds * scale)
        let time = scaled > .zero ? scaled : .zero
        if try !rendition.begin(at: time, back: segmentsBack) {
            acceptsAnySyncPoint = true
            _ = try rendition.begin(at: .zero, back: 0)
        }
        keptPackets = []
        syncPointTime = nil
        declaredStart = segmentsBack == 0 ? rendition.segmentStart : nil
        rendition.requestFirstBytes(context)
        let start = rendition.segmentStart - audioPreroll
        alignments = []
        for other in others {
            alignments.append(try SegmentAlignment(other, at: target <= .zero ? .zero : start, context))
        }
        isPositioned = true
    }

    /// Compares the time of the first packet of a segment with that in the playlist. Returns true if they differ so
    /// much that the search continues at another segment.
    private mutating func findsDrift(_ time: MediaTime) -> Bool {
        guard let start = declaredStart else { return false }
        declaredStart = nil
        let limit = rendition.driftLimit
        func isFar(_ other: MediaTime) -> Bool { other < time - limit || other > time + limit }
        guard preference == .atOrBefore, correctionsLeft > 0, start > .zero, time > .zero, isFar(start),
            isFar(goal)
        else { return false }
        correctionsLeft -= 1
        scale = start.seconds / time.seconds
        return true
    }

    /// Searches from the current segment on.
    private mutating func search() throws(MediaError) -> Poll<Result> {
        while true {
            guard case .ready(let next) = try rendition.peekInSearch() else { return .pending }
            guard let packet = next else { break }
            guard packet.track == track else {
                keep(packet)
                continue
            }
            let time = packet.presentationTime ?? packet.decodeTime
            if let time, findsDrift(time) { return .ready(.isElsewhere) }
            if let time, packet.isKeyFrame {
                if preference == .atOrAfter, time < target {
                    rendition.dequeue()
                    continue
                }
                if time <= goal || preference == .atOrAfter || acceptsAnySyncPoint {
                    if syncPointTime != nil, time > goal { return .ready(.found) }
                    begin(at: packet, time)
                    if preference == .atOrAfter || time > goal { return .ready(.found) }
                    continue
                }
                return .ready(syncPointTime != nil ? .found : .isEarlier)
            }
            guard syncPointTime != nil else {
                // Sync points that follow are later still.
                let isPastGoal = (packet.decodeTime ?? time).map { $0 > goal } ?? false
                if isPastGoal, preference == .atOrBefore, !acceptsAnySyncPoint { return .ready(.isEarlier) }
                rendition.dequeue()
                continue
            }
            if let time = packet.decodeTime ?? time, time > goal { return .ready(.found) }
            keep(packet)
        }
        let isFound = syncPointTime != nil || acceptsAnySyncPoint || preference == .atOrAfter
        return .ready(isFound ? .found : .isEarlier)
    }

    /// Dequeues a packet that will be put back.
    private mutating func keep(_ packet: Packet) {
        keptPackets.append(packet)
        rendition.dequeue()
    }

    private mutating func begin(at packet: Packet, _ time: MediaTime) {
        let start = (packet.decodeTime ?? time) - Self.otherTracksMargin
        keptPackets.removeAll { $0.track == track || ($0.decodeTime ?? $0.presentationTime ?? start) < start }
        syncPointTime = time
        keep(packet)
    }
}
