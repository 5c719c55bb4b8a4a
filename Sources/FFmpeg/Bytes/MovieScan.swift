internal import MediaCore

/// Properties of an MP4 file that libav does not report: its fragments (`moov/mvex`, `moov/mvex/mehd` and the first
/// `moof`), and which tracks are encrypted (by the names of their sample entries).
struct MovieScan {
    private(set) var canContainFragments = false
    private(set) var containsFragments = false
    /// The total duration of all fragments, including future ones, or `.invalid` if the file does not declare it.
    private(set) var durationHint = MediaTime.invalid
    /// The `AVStream.id` values of the tracks whose packets are encrypted.
    private(set) var protectedTracks: Set<Int32> = []

    private let boxes: MovieBoxes

    /// Scans a file. Returns nil if the source is not local, because scanning would wait for the network, or is not
    /// seekable.
    init?(_ reader: SourceReader) {
        let source = reader.source
        guard source.isSeekable, source.isLocal, let size = source.knownByteCount else { return nil }
        boxes = MovieBoxes(reader)
        // There may be thousands of fragments, so the scan ends at the first one.
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

    /// Returns the ID of a track if it is encrypted, else nil.
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
