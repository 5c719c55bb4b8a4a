internal import MediaCore
internal import PlayheadBackend

/// A seek in progress: from the segment that holds the target to the sync point in it.
///
/// Confined to the lane of the demuxer that it belongs to.
struct SegmentSeek {
    private let target: MediaTime
    private let preference: SeekPreference
    private let rendition: Rendition
    private let track: Int?
    /// Up to where a sync point counts as before the target.
    private let goal: MediaTime
    /// Segments before the target's that were gone back.
    private var segmentsBack = 0
    private var isPositioned = false
    /// The sync point that was found, and what follows it; before it other tracks' packets.
    private var kept: [Packet] = []
    private var found: MediaTime?
    /// There is none earlier.
    private var acceptsAnySyncPoint = false

    /// Sound depends on the packets before: overlapping windows and bit reservoirs.
    private static let audioPreroll = MediaTime(value: 150, timescale: 1000)
    /// What other tracks have before the sync point is of use so long.
    private static let otherTracksMargin = MediaTime(value: 1, timescale: 2)

    init(
        _ target: MediaTime,
        _ preference: SeekPreference,
        _ rendition: Rendition,
        track: Int?,
        isAudio: Bool
    ) {
        self.target = target
        self.preference = preference
        self.rendition = rendition
        self.track = track
        goal = isAudio && preference == .atOrBefore ? target - Self.audioPreroll : target
    }

    func isFor(_ target: MediaTime, _ preference: SeekPreference, _ rendition: Rendition) -> Bool {
        self.target == target && self.preference == preference && self.rendition === rendition
    }

    /// Throws `.notReady` where bytes are missing: to be called again.
    mutating func resume(others: [Rendition], _ context: ReadContext) throws(MediaError) {
        while true {
            if !isPositioned { try position(others, context) }
            // Everything from the very first packet on, as the first time.
            if target <= .zero { return }
            if try search() {
                rendition.putBack(kept)
                let start = (found ?? target) - Self.audioPreroll
                for other in others { other.skip(until: start) }
                return
            }
            segmentsBack += 1
            isPositioned = false
        }
    }

    private mutating func position(_ others: [Rendition], _ context: ReadContext) throws(MediaError) {
        let time = goal > .zero ? goal : .zero
        if try !rendition.begin(at: time, back: segmentsBack) {
            acceptsAnySyncPoint = true
            _ = try rendition.begin(at: .zero, back: 0)
        }
        kept = []
        found = nil
        rendition.requestFirstBytes(context)
        let start = rendition.segmentStart - Self.audioPreroll
        for other in others {
            _ = try other.begin(at: target <= .zero ? .zero : start, back: 0)
            other.requestFirstBytes(context)
        }
        isPositioned = true
    }

    /// False: the sync point lies in an earlier segment.
    private mutating func search() throws(MediaError) -> Bool {
        while let packet = try rendition.peek() {
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
                    if found != nil, time > goal { return true }
                    begin(at: packet, time)
                    if preference == .atOrAfter || time > goal { return true }
                    continue
                }
                return found != nil
            }
            guard found != nil else {
                rendition.dequeue()
                continue
            }
            if let time = packet.decodeTime ?? time, time > goal { return true }
            keep(packet)
        }
        return found != nil || acceptsAnySyncPoint || preference == .atOrAfter
    }

    private mutating func keep(_ packet: Packet) {
        kept.append(packet)
        rendition.dequeue()
    }

    private mutating func begin(at packet: Packet, _ time: MediaTime) {
        let start = (packet.decodeTime ?? time) - Self.otherTracksMargin
        kept.removeAll { $0.track == track || ($0.decodeTime ?? $0.presentationTime ?? start) < start }
        found = time
        keep(packet)
    }
}
