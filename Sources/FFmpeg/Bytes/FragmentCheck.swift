internal import MediaCore

/// Refuses a fragmented MP4 file with a track that has no number.
///
/// libav 5.1 counts up from a place of about minus a billion then, for each run of samples in each fragment
/// (`mov_read_trun`): a second of CPU time each, without a read in between that could be interrupted. A file of 12 kB takes a
/// minute to open. A file without fragments is left alone: it plays.
enum FragmentCheck {
    /// `head`: the first bytes. Reads no more than libav will read next. Does nothing for what cannot be read twice.
    static func rejectUnnumberedTracks(_ head: [UInt8], _ reader: SourceReader, location: String)
        throws(MediaError)
    {
        let source = reader.source
        guard source.isSeekable, let size = source.byteCount, head.count >= 8,
            leadingBoxNames.contains(String(decoding: head[4..<8], as: UTF8.self))
        else { return }
        let boxes = MovieBoxes(reader)
        let leadingBoxes = boxes.list(in: 0..<size, upTo: "moov")
        // Of several, libav takes the first.
        guard let movie = leadingBoxes.last, movie.name == "moov", lacksNumber(movie, boxes) else { return }
        let followingBoxes = boxes.list(in: movie.content.upperBound..<size, upTo: "moof")
        guard
            followingBoxes.last?.name == "moof"
                || boxes.list(in: movie.content).contains(where: { $0.name == "mvex" })
        else { return }
        throw MediaError(
            .unrecognizedFormat,
            "a track of a fragmented file has no number, which is refused",
            location: location
        )
    }

    private static func lacksNumber(_ movie: MovieBoxes.Box, _ boxes: MovieBoxes) -> Bool {
        boxes.list(in: movie.content).contains { track in
            guard track.name == "trak" else { return false }
            // The last one counts.
            let header = boxes.list(in: track.content).last { $0.name == "tkhd" }
            return header.flatMap(boxes.trackNumber) == nil
        }
    }

    /// What such a file begins with.
    private static let leadingBoxNames: Set<String> = [
        "ftyp", "styp", "moov", "moof", "mdat", "free", "skip", "wide", "pnot", "sidx", "uuid", "emsg",
        "prft",
    ]
}
