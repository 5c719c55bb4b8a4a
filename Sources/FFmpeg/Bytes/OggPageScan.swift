internal import MediaCore

/// Reads the headers of pages of an Ogg file (RFC 3533, section 6).
enum OggPageScan {
    /// The largest size of a page.
    private static let pageByteLimit = 65_307
    private static let capturePattern = Array("OggS".utf8)
    /// The bytes of the header up to the end of the serial number of the stream.
    private static let serialNumber = 14..<18

    /// Returns whether a file with a single stream at a time is chained: its last page belongs to another stream than
    /// the first one.
    static func isChained(_ reader: SourceReader) -> Bool {
        guard reader.source.isSeekable, let size = reader.source.knownByteCount,
            let first = lastSerialNumber(in: reader.bytes(at: 0, count: serialNumber.upperBound)),
            let last = lastSerialNumber(
                in: reader.bytes(at: max(0, size - Int64(pageByteLimit)), count: pageByteLimit)
            )
        else { return false }
        return first != last
    }

    /// Returns whether the page at an offset is the last one of its stream.
    static func endsStream(_ reader: SourceReader, at offset: Int64) -> Bool {
        let bytes = reader.bytes(at: offset, count: 6)
        return bytes.count == 6 && bytes.starts(with: capturePattern) && bytes[5] & 0x04 != 0
    }

    /// Returns the serial number in the last header, or nil if there is none.
    private static func lastSerialNumber(in bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= serialNumber.upperBound else { return nil }
        for start in (0...bytes.count - serialNumber.upperBound).reversed()
        where bytes[start] == capturePattern[0] && bytes[start...].starts(with: capturePattern) {
            return Array(bytes[start...].prefix(serialNumber.upperBound).dropFirst(serialNumber.lowerBound))
        }
        return nil
    }
}
