/// A clock reference of an MPEG-2 stream (ISO/IEC 13818-1).
struct ClockReference: Equatable {
    /// The offset of the packet or pack that has it.
    let position: Int64
    /// The time in 1/90000 s, which has 33 bits.
    let ticks: Int64
    /// The packet identifier (PID) in a transport stream.
    var stream = 0

    /// The sizes of packets of transport streams: plain, with a time before each (M2TS), with a checksum.
    private static let packetSizes = [188, 192, 204]
    /// The number of packets by which the first one is found.
    private static let packetCount = 5

    /// Returns the program clock references (2.4.3.5) in bytes of a transport stream.
    static func inPackets(_ bytes: [UInt8]) -> [ClockReference] {
        guard let (first, size) = alignment(bytes) else { return [] }
        var result: [ClockReference] = []
        for start in stride(from: first, through: bytes.count - 188, by: size) {
            let hasField = bytes[start + 3] & 0x20 != 0 && bytes[start + 4] >= 7
            guard bytes[start] == 0x47, bytes[start + 1] & 0x80 == 0, hasField, bytes[start + 5] & 0x10 != 0
            else { continue }
            let high = number(bytes[(start + 6)..<(start + 10)])
            result.append(
                ClockReference(
                    position: Int64(start),
                    ticks: high << 1 | Int64(bytes[start + 10] >> 7),
                    stream: Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
                )
            )
        }
        return result
    }

    /// Returns the offset of the first packet, and the distance of packets, or nil if the bytes are no packets.
    private static func alignment(_ bytes: [UInt8]) -> (first: Int, size: Int)? {
        for size in packetSizes {
            let last = min(size, bytes.count - size * (packetCount - 1))
            guard last > 0 else { continue }
            let first = (0..<last).first { start in
                (0..<packetCount).allSatisfy { bytes[start + $0 * size] == 0x47 }
            }
            if let first { return (first, size) }
        }
        return nil
    }

    /// Returns the system clock references (2.5.3.4) in bytes of a program stream.
    static func inPacks(_ bytes: [UInt8]) -> [ClockReference] {
        var result: [ClockReference] = []
        var start = 0
        while let next = bytes[start...].firstIndex(of: 0xBA) {
            start = next + 1
            guard next >= 3, next + 5 < bytes.count, bytes[next - 1] == 1, bytes[next - 2] == 0,
                bytes[next - 3] == 0
            else { continue }
            let field = number(bytes[(next + 1)...(next + 5)])
            // 3, 15 and 15 bits, with a marker bit after each.
            let shifts: (high: Int64, middle: Int64, low: Int64)
            switch bytes[next + 1] >> 4 {
            case 4...7: shifts = (35, 19, 3)
            // MPEG-1 (ISO/IEC 11172-1).
            case 2: shifts = (33, 17, 1)
            default: continue
            }
            let ticks =
                (field >> shifts.high & 0x7) << 30 | (field >> shifts.middle & 0x7FFF) << 15 | field
                >> shifts.low & 0x7FFF
            result.append(ClockReference(position: Int64(next - 3), ticks: ticks))
        }
        return result
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
