import MediaCore

/// Where a device takes up another rate.
struct RateChangePoint: Sendable {
    /// Index of the first device sample at the new rate, if the device can still take that sample back.
    var frame: Int64
    /// The flush that the index counts from. After another flush the point is void.
    var run: Int
    /// Where on the timeline that sample belongs.
    var media: TimelineTime
}

/// The audio that a device was given and may not have played yet. At another rate it is processed again.
struct AudioHistory {
    struct Piece {
        /// As decoded, with mix and taps.
        var buffer: AudioBuffer
        var origin: AudioOrigin
        var place: AudioPlacement

        var start: TimelineTime { place.timelineTime(of: buffer) }
        var end: TimelineTime { start + (buffer.duration.nanoseconds ?? 0) }
    }

    private var pieces: [Piece] = []

    /// `span`: nanoseconds of media that are kept.
    mutating func append(_ piece: Piece, keeping span: Int64) {
        pieces.append(piece)
        let oldest = piece.end - span
        guard let first = pieces.first, first.end < oldest else { return }
        pieces.removeAll { $0.end < oldest }
    }

    mutating func clear() { pieces = [] }

    /// What lies on the timeline from `media` on, and the last that lies before it.
    func split(at media: TimelineTime) -> (before: AudioBuffer?, pieces: [Piece]) {
        var before: AudioBuffer?
        var rest: [Piece] = []
        for piece in pieces {
            let rate = Double(piece.buffer.format.sampleRate)
            let count = (Double(media - piece.start) * rate / 1e9).rounded()
            let cut = Int(max(0, min(Double(piece.buffer.frameCount), count)))
            if cut > 0 { before = piece.buffer.trimmed(last: piece.buffer.frameCount - cut) }
            guard cut < piece.buffer.frameCount else { continue }
            var piece = piece
            piece.buffer = piece.buffer.trimmed(first: cut)
            rest.append(piece)
        }
        return (before, rest)
    }
}
