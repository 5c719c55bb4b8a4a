internal import MediaCore

/// A scan of the top-level boxes of an MP4 or QuickTime file. It distinguishes a truncated file from an unknown format.
enum BoxScan {
    /// The number of boxes to inspect at most.
    private static let boxLimit = 1000
    /// The boxes that may come first in such a file. Without this list, any text would be accepted, because eight
    /// printable bytes form a valid box header.
    private static let leadingBoxNames: Set = [
        "ftyp", "styp", "moov", "moof", "mdat", "free", "skip", "wide", "uuid", "udta", "meta", "pnot",
        "prfl",
        "junk", "pict", "sidx", "ssix", "emsg", "prft", "jP  ", "thum", "beam", "frea",
    ]

    /// Returns true if a box extends beyond the end of the file.
    static func isTruncated(_ reader: SourceReader) -> Bool {
        guard reader.source.isSeekable, let size = reader.source.knownByteCount else { return false }
        var offset: Int64 = 0
        for _ in 0..<boxLimit {
            guard offset < size, let header = read(reader, at: offset), isName(header[4..<8]) else {
                return false
            }
            if offset == 0, !leadingBoxNames.contains(String(decoding: header[4..<8], as: UTF8.self)) {
                return false
            }
            var length = Int64(number(header[0..<4]))
            if length == 1 { length = Int64(truncatingIfNeeded: number(header[8..<16])) }
            // A length of zero means "to the end". Any other length below 8 is invalid.
            guard length >= 8 else { return false }
            let (end, overflow) = offset.addingReportingOverflow(length)
            if overflow || end > size { return true }
            offset = end
        }
        return false
    }

    private static func read(_ reader: SourceReader, at offset: Int64) -> [UInt8]? {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        guard let count = try? reader.read(at: offset, into: bytes), count >= 8 else { return nil }
        return Array(bytes)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns whether the bytes are a box name, which is printable.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0xA9 }
    }
}
