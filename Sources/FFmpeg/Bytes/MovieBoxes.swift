internal import MediaCore

/// The boxes of an MP4 file, found by following their lengths.
struct MovieBoxes {
    /// The number of boxes of one level to inspect at most.
    private static let boxLimit = 1000

    private let reader: SourceReader

    init(_ reader: SourceReader) { self.reader = reader }

    struct Box {
        let name: String
        let content: Range<Int64>
    }

    /// Returns the boxes of one level, up to and including the first one named `last`. A box that is longer than its
    /// parent is clipped, as in libav.
    func list(in range: Range<Int64>, upTo last: String? = nil) -> [Box] {
        var result: [Box] = []
        var offset = range.lowerBound
        while result.count < Self.boxLimit, offset < range.upperBound,
            let header = read(at: offset, count: 16),
            header.count >= 8
        {
            var length = Int64(Self.number(header[0..<4]))
            var headerLength: Int64 = 8
            if length == 1, header.count == 16 {
                length = Int64(truncatingIfNeeded: Self.number(header[8..<16]))
                headerLength = 16
            }
            // A length of zero means "to the end". Any other length below the header length is invalid.
            if length == 0 { length = range.upperBound - offset }
            let (end, overflow) = offset.addingReportingOverflow(length)
            guard length >= headerLength, range.upperBound - offset >= headerLength, !overflow else { break }
            let name = String(decoding: header[4..<8], as: UTF8.self)
            result.append(Box(name: name, content: offset + headerLength..<min(end, range.upperBound)))
            if name == last { break }
            offset = end
        }
        return result
    }

    /// Returns a field whose offset and width depend on the box's version, which is 0 or 1.
    func number(_ box: Box, at offsets: (Int, Int), wide widths: (Int, Int)) -> UInt64? {
        guard let bytes = read(at: box.content.lowerBound, count: 32), let version = bytes.first else {
            return nil
        }
        let (start, count) = version == 0 ? (offsets.0, widths.0) : (offsets.1, widths.1)
        let isInside = Int64(start + count) <= box.content.upperBound - box.content.lowerBound
        guard isInside, bytes.count >= start + count else { return nil }
        return Self.number(bytes[start..<start + count])
    }

    /// Returns the track ID of a track header box, or nil if there is none or libav reads it as a negative number.
    func trackNumber(_ header: Box) -> Int32? {
        number(header, at: (12, 20), wide: (4, 4)).flatMap(Int32.init(exactly:))
    }

    /// Reads bytes. Returns fewer than `count` at the end of the file, and nil if reading fails; the demuxer reports
    /// that error.
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
