internal import MediaCore

/// What an MP4 file says and libav does not tell: about fragments (`moov/mvex`, `moov/mvex/mehd` and the first `moof`), and
/// which tracks are encrypted (the names of their sample entries).
struct MovieScan {
    private(set) var canContainFragments = false
    private(set) var containsFragments = false
    /// Of all fragments together, those to come included; `.invalid` where nothing says so.
    private(set) var durationHint = MediaTime.invalid
    /// `AVStream.id` of the tracks whose packets are encrypted.
    private(set) var protectedTracks: Set<Int32> = []

    private let boxes: MovieBoxes

    /// nil where looking would mean to wait for a network, or where one cannot go back.
    init?(_ reader: SourceReader) {
        let source = reader.source
        guard source.isSeekable, source.isLocal, let size = source.byteCount else { return nil }
        boxes = MovieBoxes(reader)
        // There may be thousands of fragments: the first one is enough.
        for box in boxes.list(in: 0..<size, upTo: "moof") {
            if box.name == "moof" { containsFragments = true }
            if box.name == "moov" { scanMovie(box) }
        }
        containsFragments = containsFragments && canContainFragments
    }

    private mutating func scanMovie(_ movie: MovieBoxes.Box) {
        var timescale: Int32?
        var duration: UInt64?
        for box in boxes.list(in: movie.content) {
            if box.name == "mvhd" {
                timescale = boxes.number(box, at: (12, 20), wide: (4, 4)).flatMap(Int32.init(exactly:))
            }
            if box.name == "trak", let id = protectedTrack(box) { protectedTracks.insert(id) }
            guard box.name == "mvex" else { continue }
            canContainFragments = true
            let header = boxes.list(in: box.content).first { $0.name == "mehd" }
            duration = header.flatMap { boxes.number($0, at: (4, 4), wide: (4, 8)) }
        }
        guard let timescale, timescale > 0, let duration, let value = Int64(exactly: duration), value > 0
        else { return }
        durationHint = MediaTime(value: value, timescale: timescale)
    }

    /// The number of a track that is encrypted; nil: it is not.
    private func protectedTrack(_ track: MovieBoxes.Box) -> Int32? {
        let parts = boxes.list(in: track.content)
        var inner = parts.first { $0.name == "mdia" }
        for name in ["minf", "stbl", "stsd"] {
            inner = inner.flatMap { boxes.list(in: $0.content, upTo: name).last }.flatMap {
                $0.name == name ? $0 : nil
            }
        }
        guard let entries = inner?.content, entries.count > 8,
            boxes.list(in: entries.lowerBound + 8..<entries.upperBound).contains(where: {
                $0.name == "encv" || $0.name == "enca"
            })
        else { return nil }
        return parts.first { $0.name == "tkhd" }.flatMap(boxes.trackNumber)
    }
}
