/// Changes the timestamps of transport streams (ISO/IEC 13818-1) with packets of 188 bytes.
enum TransportStream {
    /// Returns a stream whose clock and timestamps are moved by a number of 1/90000 s.
    static func shifted(_ bytes: [UInt8], by ticks: Int64) -> [UInt8] {
        var result = bytes
        for start in stride(from: 0, to: bytes.count, by: 188) {
            var payload = start + 4
            if bytes[start + 3] & 0x20 != 0 {
                payload += 1 + Int(bytes[start + 4])
                if bytes[start + 4] >= 7, bytes[start + 5] & 0x10 != 0 {
                    shiftClock(&result, start + 6, by: ticks)
                }
            }
            let beginsPacket = bytes[start + 1] & 0x40 != 0 && bytes[start + 3] & 0x10 != 0
            guard beginsPacket, payload + 19 <= start + 188, bytes[payload..<(payload + 3)] == [0, 0, 1],
                bytes[payload + 3] >= 0xC0
            else { continue }
            if bytes[payload + 7] & 0x80 != 0 { shiftTimestamp(&result, payload + 9, by: ticks) }
            if bytes[payload + 7] & 0x40 != 0 { shiftTimestamp(&result, payload + 14, by: ticks) }
        }
        return result
    }

    private static func shiftClock(_ bytes: inout [UInt8], _ place: Int, by ticks: Int64) {
        let high = bytes[place..<(place + 4)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let moved = (high << 1 | Int64(bytes[place + 4] >> 7)) + ticks
        for index in 0..<4 {
            bytes[place + index] = UInt8(truncatingIfNeeded: moved >> (25 - 8 * Int64(index)))
        }
        bytes[place + 4] = bytes[place + 4] & 0x7F | UInt8(truncatingIfNeeded: moved << 7)
    }

    private static func shiftTimestamp(_ bytes: inout [UInt8], _ place: Int, by ticks: Int64) {
        let field = bytes[place..<(place + 5)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let moved = (field >> 33 & 7) << 30 | (field >> 17 & 0x7FFF) << 15 | field >> 1 & 0x7FFF
        let sum = moved + ticks
        let prefix = Int64(bytes[place] >> 4)
        let result =
            prefix << 36 | (sum >> 30 & 7) << 33 | 1 << 32 | (sum >> 15 & 0x7FFF) << 17 | 1 << 16
            | (sum & 0x7FFF) << 1 | 1
        for index in 0..<5 {
            bytes[place + index] = UInt8(truncatingIfNeeded: result >> (32 - 8 * Int64(index)))
        }
    }
}
