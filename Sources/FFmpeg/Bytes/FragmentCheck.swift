internal import MediaCore

/// A check that rejects fragmented MP4 files in which a track has no track ID.
///
/// For such a file, libav 5.1 counts up from about minus one billion for each run of samples in each fragment
/// (`mov_read_trun`). Each run takes a second of CPU time without a read that could be interrupted, so a file of 12 kB
/// takes a minute to open. Files without fragments are not affected and are accepted.
enum FragmentCheck {
    /// Throws an error if the file is fragmented and a track has no track ID.
    ///
    /// `head` contains the first bytes of the file. The check reads no more than libav will read next, and skips
    /// sources that cannot be read twice.
    static func rejectUnnumberedTracks(_ head: [UInt8], _ reader: SourceReader, location: String)
        throws(MediaError)
    {
        let source = reader.source
        guard source.isSeekable, let size = source.knownByteCount, head.count >= 8,
            leadingBoxNames.contains(String(decoding: head[4..<8], as: UTF8.self))
        else { return }
        let boxes = MovieBoxes(reader)
        let leadingBoxes = boxes.list(in: 0..<size, upTo: "moov")
        // libav uses the first moov box if there are several.
        guard let movie = leadingBoxes.last, movie.name == "moov", lacksNumber(movie, boxes) else { return }
        let followingBoxes = boxes.list(in: movie.content.upperBound..<size, upTo: "moof")
        guard
            followingBoxes.last?.name == "moof"
                || boxes.list(in: movie.content).contains(where: { $0.name == "mvex" })
        else { return }
        throw MediaError(
            .unrecognizedFormat,
            "fragmented MP4 rejected: a track has no track ID (tkhd box)",
            location: location
        )
    }

    private static func lacksNumber(_ movie: MovieBoxes.Box, _ boxes: MovieBoxes) -> Bool {
        boxes.list(in: movie.content).contains { track in
            guard track.name == "trak" else { return false }
            // libav uses the last tkhd box.
            let header = boxes.list(in: track.content).last { $0.name == "tkhd" }
            return header.flatMap(boxes.trackNumber) == nil
        }
    }

    /// The boxes that an MP4 file may begin with.
    private static let leadingBoxNames: Set<String> = [
        "ftyp", "styp", "moov", "moof", "mdat", "free", "skip", "wide", "pnot", "sidx", "uuid", "emsg",
        "prft",
    ]
}
