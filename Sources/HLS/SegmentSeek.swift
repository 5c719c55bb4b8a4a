internal import MediaCore
internal import PlayheadBackend

/// A seek in progress, from the segment that contains the target to a sync point. It can be resumed.
///
/// Confined to the lane of its demuxer.
struct SegmentSeek {
    private let target: MediaTime
    private let preference: SeekPreference
    private let rendition: Rendition
    private let track: Int?
    /// The latest time at which a sync point counts as before the target.
    private let goal: MediaTime
    /// The number of segments before the target's segment that the search has moved back.
    private var segmentsBack = 0
    private var isPositioned = false
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
            guard case .ready(let isFound) = try search() else { return .pending }
            if isFound {
                rendition.putBack(keptPackets)
                let start = (syncPointTime ?? target) - audioPreroll
                for other in others { other.skip(until: start) }
                return .ready(())
            }
            segmentsBack += 1
            isPositioned = false
        }
    }

    /// Moves all renditions to the segments where the search begins.
    private mutating func position(_ others: [Rendition], _ context: ReadContext) throws(MediaError) {
        let time = goal > .zero ? goal : .zero
        if try !rendition.begin(at: time, back: segmentsBack) {
            acceptsAnySyncPoint = true
            _ = try rendition.begin(at: .zero, back: 0)
        }
        keptPackets = []
        syncPointTime = nil
        rendition.requestFirstBytes(context)
        let start = rendition.segmentStart - audioPreroll
        for other in others {
            _ = try other.begin(at: target <= .zero ? .zero : start, back: 0)
            other.requestFirstBytes(context)
        }
        isPositioned = true
    }

    /// Searches the current segment. Returns false if the sync point is in an earlier one.
    private mutating func search() throws(MediaError) -> Poll<Bool> {
        while true {
            guard case .ready(let next) = try rendition.peekInSearch() else { return .pending }
            guard let packet = next else { break }
            guard packet.track == track else {
                keep(packet)
                continue
            }
            let time = packet.presentationTime ?? packet.decodeTime
            if let time, packet.isKeyFrame {
                if preference == .atOrAfter, time < target {
                    rendition.dequeue()
                    continue
                }
                if time <= goal || preference == .atOrAfter || acceptsAnySyncPoint {
                    if syncPointTime != nil, time > goal { return .ready(true) }
                    begin(at: packet, time)
                    if preference == .atOrAfter || time > goal { return .ready(true) }
                    continue
                }
                return .ready(syncPointTime != nil)
            }
            guard syncPointTime != nil else {
                rendition.dequeue()
                continue
            }
            if let time = packet.decodeTime ?? time, time > goal { return .ready(true) }
            keep(packet)
        }
        return .ready(syncPointTime != nil || acceptsAnySyncPoint || preference == .atOrAfter)
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
