/// The relevance of an H.264 or HEVC NAL unit for other frames.
enum NALUnit {
    case unreferenced, needed, noFrame

    /// Returns true if `packet` is complete, contains a frame, and contains no unit that another frame refers to.
    static func allUnreferenced(
        in packet: UnsafeRawBufferPointer,
        lengthSize: Int,
        headerSize: Int,
        kind: (_ header: UnsafeRawBufferPointer) -> NALUnit
    ) -> Bool {
        var hasFrame = false
        var position = 0
        while position < packet.count {
            guard packet.count - position >= lengthSize + headerSize else { return false }
            var length = 0
            for byte in packet[position..<position + lengthSize] { length = length << 8 | Int(byte) }
            position += lengthSize
            guard length >= headerSize, length <= packet.count - position else { return false }
            switch kind(UnsafeRawBufferPointer(rebasing: packet[position..<position + headerSize])) {
            case .unreferenced: hasFrame = true
            case .needed: return false
            case .noFrame: break
            }
            position += length
        }
        return hasFrame
    }
}
