internal import MediaCore

/// What an MP4 file says and libav does not tell: about fragments (`moov/mvex`, `moov/mvex/mehd` and the first `moof`), and
/// which tracks are encrypted (the names of their sample entries).
struct MovieScan {
    /// Boxes looked at on one level before giving up.
    private static let limit = 1000

    private(set) var canContain = false
    private(set) var contains = false
    /// Of all fragments together, those to come included; `.invalid` where nothing says so.
    private(set) var durationHint = MediaTime.invalid
    /// `AVStream.id` of the tracks whose packets are encrypted.
    private(set) var protectedTracks: Set<Int32> = []

    private let reader: SourceReader

    /// nil where looking would mean to wait for a network, or where one cannot go back.
    init?(_ reader: SourceReader) {
        let source = reader.source
        guard source.isSeekable, source.isLocal, let size = source.byteCount else { return nil }
        self.reader = reader
        // There may be thousands of fragments: the first one is enough.
        for box in boxes(in: 0..<size, upTo: "moof") {
            if box.name == "moof" { contains = true }
            if box.name == "moov" { lookAtMovie(box) }
        }
        contains = contains && canContain
    }

    private mutating func lookAtMovie(_ movie: Box) {
        var timescale: Int32?
        var duration: UInt64?
        for box in boxes(in: movie.content) {
            if box.name == "mvhd" {
                timescale = number(box, at: (12, 20), wide: (4, 4)).flatMap(Int32.init(exactly:))
            }
            if box.name == "trak", let id = protectedTrack(box) { protectedTracks.insert(id) }
            guard box.name == "mvex" else { continue }
            canContain = true
            let header = boxes(in: box.content).first { $0.name == "mehd" }
            duration = header.flatMap { number($0, at: (4, 4), wide: (4, 8)) }
        }
        guard let timescale, timescale > 0, let duration, let value = Int64(exactly: duration), value > 0
        else { return }
        durationHint = MediaTime(value: value, timescale: timescale)
    }

    /// The number of a track that is encrypted; nil: it is not.
    private func protectedTrack(_ track: Box) -> Int32? {
        let parts = boxes(in: track.content)
        var inner = parts.first { $0.name == "mdia" }
        for name in ["minf", "stbl", "stsd"] {
            inner = inner.flatMap { boxes(in: $0.content, upTo: name).last }.flatMap {
                $0.name == name ? $0 : nil
            }
        }
        guard let entries = inner?.content, entries.count > 8,
            boxes(in: entries.lowerBound + 8..<entries.upperBound).contains(where: {
                $0.name == "encv" || $0.name == "enca"
            })
        else { return nil }
        return parts.first { $0.name == "tkhd" }
            .flatMap { number($0, at: (12, 20), wide: (4, 4)) }.flatMap(Int32.init(exactly:))
    }

    private struct Box {
        let name: String
        let content: Range<Int64>
    }

    private func boxes(in range: Range<Int64>, upTo last: String? = nil) -> [Box] {
        var result: [Box] = []
        var offset = range.lowerBound
        while result.count < Self.limit, offset < range.upperBound, let header = read(at: offset, count: 16),
            header.count >= 8
        {
            var length = Int64(Self.number(header[0..<4]))
            var headerLength: Int64 = 8
            if length == 1, header.count == 16 {
                length = Int64(truncatingIfNeeded: Self.number(header[8..<16]))
                headerLength = 16
            }
            // Zero means "to the end"; anything else that small is no box.
            if length == 0 { length = range.upperBound - offset }
            let (end, overflow) = offset.addingReportingOverflow(length)
            guard length >= headerLength, !overflow, end <= range.upperBound else { break }
            let name = String(decoding: header[4..<8], as: UTF8.self)
            result.append(Box(name: name, content: offset + headerLength..<end))
            if name == last { break }
            offset = end
        }
        return result
    }

    /// A field whose place and length depend on the box's version, 0 or 1.
    private func number(_ box: Box, at place: (Int, Int), wide: (Int, Int)) -> UInt64? {
        guard let bytes = read(at: box.content.lowerBound, count: 32), let version = bytes.first else {
            return nil
        }
        let (start, count) = version == 0 ? (place.0, wide.0) : (place.1, wide.1)
        let isInside = Int64(start + count) <= box.content.upperBound - box.content.lowerBound
        guard isInside, bytes.count >= start + count else { return nil }
        return Self.number(bytes[start..<start + count])
    }

    /// Fewer at the end of the file; nil where reading fails, which the demuxer tells in its own words.
    private func read(at offset: Int64, count: Int) -> [UInt8]? {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { bytes.deallocate() }
        do throws(MediaError) {
            return Array(bytes.prefix(try reader.read(at: offset, into: bytes)))
        } catch {
            return nil
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
