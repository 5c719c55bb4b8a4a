internal import MediaCore
internal import PlayheadBackend

/// The move of another rendition to the segment that contains the sync point of a seek. It can be resumed.
///
/// The playlists of a presentation may depart from their media by different amounts, so the times of the media decide.
///
/// Confined to the lane of its demuxer.
struct SegmentAlignment {
    private let rendition: Rendition
    /// The item time of the segment according to the playlist.
    private var declaredStart: MediaTime
    /// The number of segments before that one that the rendition has been moved back.
    private var segmentsBack = 0
    /// The number of further moves. The times of damaged media must not lead through the whole playlist.
    private var movesLeft = 4
    private var isAligned = false

    /// Moves the rendition to the segment that contains a time according to its playlist.
    init(_ rendition: Rendition, at time: MediaTime, _ context: ReadContext) throws(MediaError) {
        self.rendition = rendition
        _ = try rendition.begin(at: time, back: 0)
        rendition.requestFirstBytes(context)
        declaredStart = rendition.segmentStart
    }

    /// Moves the rendition until it begins at or before `start`, and skips packets that end before that.
    ///
    /// - Returns: `.pending` if the call must be repeated when the context is woken.
    /// - Throws: `MediaError` if a segment cannot be read.
    mutating func resume(until start: MediaTime, _ context: ReadContext) throws(MediaError) -> Poll<Void> {
        while !isAligned {
            guard case .ready(let packet) = try rendition.peekInSearch() else { return .pending }
            let time = packet?.presentationTime ?? packet?.decodeTime
            if let time, try move(from: time, to: start) {
                rendition.requestFirstBytes(context)
            } else {
                rendition.skip(until: start)
                isAligned = true
            }
        }
        return .ready(())
    }

    /// Moves the rendition if its first packet is after `start`, or far before it. Returns false if it stays.
    private mutating func move(from time: MediaTime, to start: MediaTime) throws(MediaError) -> Bool {
        let limit = rendition.driftLimit
        let isFar = time > start + limit || time < start - limit
        guard start > .zero, movesLeft > 0, isFar || time > start else { return false }
        movesLeft -= 1
        guard isFar else {
            segmentsBack += 1
            return try rendition.begin(at: declaredStart, back: segmentsBack)
        }
        let moved = declaredStart + (start - time)
        _ = try rendition.begin(at: moved > .zero ? moved : .zero, back: 0)
        // There is no nearer segment, for example next to a gap.
        if rendition.segmentStart == declaredStart { movesLeft = 0 }
        declaredStart = rendition.segmentStart
        segmentsBack = 0
        return true
    }
}
