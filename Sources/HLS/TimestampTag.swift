/// The ID3 tag that a segment of packed audio begins with: it says when the segment begins, for raw audio has no times.
struct TimestampTag {
    /// In ticks of 1/90000 s; nil where the tag does not say.
    let timestamp: Int64?
    let byteCount: Int

    private static let headSize = 10
    /// Larger tags are left to the container's demuxer.
    private static let byteLimit = 256 << 10
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)

    /// How many bytes are needed beside these to know the tag; 0: they are enough. nil: this is no tag.
    static func missing(of head: [UInt8]) -> Int? {
        let mark = Array("ID3".utf8)
        guard head.starts(with: mark.prefix(head.count)) else { return nil }
        guard head.count >= headSize else { return headSize - head.count }
        let size = headSize + length(head[6..<10])
        guard size <= byteLimit else { return nil }
        return max(0, size - head.count)
    }

    /// nil: this is no tag, or not all of one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headSize, Self.missing(of: bytes) == 0 else { return nil }
        byteCount = Self.headSize + Self.length(bytes[6..<10])
        timestamp = Self.stamp(in: bytes.prefix(byteCount).dropFirst(Self.headSize))
    }

    /// Frames follow each other: four letters, a length, two bytes of flags.
    private static func stamp(in frames: ArraySlice<UInt8>) -> Int64? {
        var rest = frames
        while rest.count >= headSize {
            let size = length(rest.dropFirst(4).prefix(4))
            let body = rest.dropFirst(headSize).prefix(size)
            if rest.starts(with: Array("PRIV".utf8)), body.starts(with: owner) {
                let digits = body.dropFirst(owner.count).prefix(8)
                guard digits.count == 8 else { return nil }
                // 33 bits count.
                return digits.reduce(Int64(0)) { ($0 << 8 | Int64($1)) & 0x1_FFFF_FFFF }
            }
            guard size > 0 else { return nil }
            rest = rest.dropFirst(headSize + size)
        }
        return nil
    }

    /// Seven bits of each byte.
    private static func length(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    }
}
