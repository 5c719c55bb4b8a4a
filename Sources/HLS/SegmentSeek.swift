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
    private var back = 0
    private var isPlaced = false
    /// The sync point that was found, and what follows it; before it other tracks' packets.
    private var kept: [Packet] = []
    private var found: MediaTime?
    /// There is none earlier.
    private var takesAny = false

    /// Sound depends on the packets before: overlapping windows and bit reservoirs.
    private static let soundPreroll = MediaTime(value: 150, timescale: 1000)
    /// What other tracks have before the sync point is of use so long.
    private static let margin = MediaTime(value: 1, timescale: 2)

    init(
        _ target: MediaTime,
        _ preference: SeekPreference,
        _ rendition: Rendition,
        track: Int?,
        isSound: Bool
    ) {
        self.target = target
        self.preference = preference
        self.rendition = rendition
        self.track = track
        goal = isSound && preference == .atOrBefore ? target - Self.soundPreroll : target
    }

    func isFor(_ target: MediaTime, _ preference: SeekPreference, _ rendition: Rendition) -> Bool {
        self.target == target && self.preference == preference && self.rendition === rendition
    }

    /// Throws `.notReady` where bytes are missing: to be called again.
    mutating func go(others: [Rendition], _ context: ReadContext) throws(MediaError) {
        while true {
            if !isPlaced { try place(others, context) }
            // Everything from the very first packet on, as the first time.
            if target <= .zero { return }
            if try search() {
                rendition.putBack(kept)
                let start = (found ?? target) - Self.soundPreroll
                for other in others { other.skip(until: start) }
                return
            }
            back += 1
            isPlaced = false
        }
    }

    private mutating func place(_ others: [Rendition], _ context: ReadContext) throws(MediaError) {
        let time = goal > .zero ? goal : .zero
        if try !rendition.begin(at: time, back: back) {
            takesAny = true
            _ = try rendition.begin(at: .zero, back: 0)
        }
        kept = []
        found = nil
        rendition.ask(context)
        let start = rendition.segmentStart - Self.soundPreroll
        for other in others {
            _ = try other.begin(at: target <= .zero ? .zero : start, back: 0)
            other.ask(context)
        }
        isPlaced = true
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
                    rendition.take()
                    continue
                }
                if time <= goal || preference == .atOrAfter || takesAny {
                    if found != nil, time > goal { return true }
                    begin(at: packet, time)
                    if preference == .atOrAfter || time > goal { return true }
                    continue
                }
                return found != nil
            }
            guard found != nil else {
                rendition.take()
                continue
            }
            if let time = packet.decodeTime ?? time, time > goal { return true }
            keep(packet)
        }
        return found != nil || takesAny || preference == .atOrAfter
    }

    private mutating func keep(_ packet: Packet) {
        kept.append(packet)
        rendition.take()
    }

    private mutating func begin(at packet: Packet, _ time: MediaTime) {
        let start = (packet.decodeTime ?? time) - Self.margin
        kept.removeAll { $0.track == track || ($0.decodeTime ?? $0.presentationTime ?? start) < start }
        found = time
        keep(packet)
    }
}
