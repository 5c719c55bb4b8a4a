/// Follows the boxes of MP4 (ISO/IEC 14496-12, section 4.2) on their highest level, to find out whether the last one is
/// complete.
struct BoxBoundary {
    /// The bytes of a box header that is incomplete.
    private var header: [UInt8] = []
    /// The number of bytes that follow in the current box. `.max` if its size is invalid.
    private var rest: Int64 = 0
    /// Whether the current box extends to the end of the resource.
    private var isUnbounded = false

    /// Whether a box can begin after the bytes that were appended, or whether the last box has no other end.
    var isComplete: Bool { isUnbounded || header.isEmpty && rest == 0 }

    mutating func append(_ bytes: some RandomAccessCollection<UInt8>) {
        var left = bytes[...]
        while !left.isEmpty, !isUnbounded {
            if rest > 0 {
                let count = min(left.count, Int(clamping: rest))
                if rest < .max { rest -= Int64(count) }
                left = left.dropFirst(count)
                continue
            }
            let part = left.prefix(headerSize - header.count)
            header += part
            left = left.dropFirst(part.count)
            if header.count == headerSize { begin() }
        }
    }

    /// The size of the header of the current box. A size of 1 announces a size of 64 bits.
    private var headerSize: Int { header.count >= 8 && Self.number(header[..<4]) == 1 ? 16 : 8 }

    /// Begins the content of the box whose header is complete.
    private mutating func begin() {
        let size = Self.number(header.count == 16 ? header[8...] : header[..<4])
        isUnbounded = size == 0
        rest = size >= header.count ? size - Int64(header.count) : .max
        header = []
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
