/// The ID3 tag at the beginning of a packed audio segment, which has the time of the first sample (RFC 8216, section
/// 3.4).
struct TimestampTag {
    /// The timestamp in ticks of 1/90000 s, or nil if the tag has none.
    let timestamp: Int64?
    let byteCount: Int

    private static let headSize = 10
    /// The maximum size of a tag. The demuxer of the container skips larger ones.
    private static let byteLimit = 256 << 10
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)

    /// Returns the number of further bytes that are needed to parse the tag. Returns nil if the bytes are not a tag.
    static func missing(of head: [UInt8]) -> Int? {
        let mark = Array("ID3".utf8)
        guard head.starts(with: mark.prefix(head.count)) else { return nil }
        guard head.count >= headSize else { return headSize - head.count }
        let size = headSize + length(head[6..<10])
        guard size <= byteLimit else { return nil }
        return max(0, size - head.count)
    }

    /// Parses a complete tag. Returns nil if the bytes are not one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headSize, Self.missing(of: bytes) == 0 else { return nil }
        byteCount = Self.headSize + Self.length(bytes[6..<10])
        timestamp = Self.stamp(in: bytes.prefix(byteCount).dropFirst(Self.headSize))
    }

    /// Returns the timestamp of the PRIV frame. A frame has four letters, a length and two bytes of flags.
    private static func stamp(in frames: ArraySlice<UInt8>) -> Int64? {
        var rest = frames
        while rest.count >= headSize {
            let size = length(rest.dropFirst(4).prefix(4))
            let body = rest.dropFirst(headSize).prefix(size)
            if rest.starts(with: Array("PRIV".utf8)), body.starts(with: owner) {
                let digits = body.dropFirst(owner.count).prefix(8)
                guard digits.count == 8 else { return nil }
                // The timestamp has 33 bits.
                return digits.reduce(Int64(0)) { ($0 << 8 | Int64($1)) & 0x1_FFFF_FFFF }
            }
            guard size > 0 else { return nil }
            rest = rest.dropFirst(headSize + size)
        }
        return nil
    }

    /// Decodes a synchsafe integer: seven bits of each byte.
    private static func length(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    }
}
