import MediaCore

/// Where sound takes up another speed.
struct SoundTurn: Sendable {
    /// The device's sample from which on it does, if that can be taken back still, ...
    var frame: Int64
    /// ... since which flush, ...
    var run: Int
    /// ... and where on the timeline that sample belongs.
    var media: Int64
}

/// The sound that a device has been given and may not have played: at another speed it is made anew.
struct SoundHistory {
    struct Piece {
        /// As decoded, with mix and taps.
        var buffer: AudioBuffer
        var origin: AudioOrigin
        var place: SoundPlace

        var start: Int64 { place.origin &+ (buffer.presentationTime.nanoseconds ?? 0) }
        var end: Int64 { start &+ (buffer.duration.nanoseconds ?? 0) }
    }

    private var pieces: [Piece] = []

    /// `span`: nanoseconds of media that are kept.
    mutating func append(_ piece: Piece, keeping span: Int64) {
        pieces.append(piece)
        let oldest = piece.end &- span
        guard let first = pieces.first, first.end < oldest else { return }
        pieces.removeAll { $0.end < oldest }
    }

    mutating func clear() { pieces = [] }

    /// What lies on the timeline from `media` on, and the last that lies before it.
    func split(at media: Int64) -> (before: AudioBuffer?, pieces: [Piece]) {
        var before: AudioBuffer?
        var rest: [Piece] = []
        for piece in pieces {
            let rate = Double(piece.buffer.format.sampleRate)
            let count = (Double(media &- piece.start) * rate / 1e9).rounded()
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
