/// The hash function XXH64, which detects damaged bytes.
enum Checksum {
    /// Returns the hash of the bytes. With their offset as `seed`, the same bytes have different hashes at different
    /// offsets.
    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var offset = 0
        var hash: UInt64
        if bytes.count >= 32 {
            var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
            while offset + 32 <= bytes.count {
                lanes.0 = round(lanes.0, word(bytes, offset))
                lanes.1 = round(lanes.1, word(bytes, offset + 8))
                lanes.2 = round(lanes.2, word(bytes, offset + 16))
                lanes.3 = round(lanes.3, word(bytes, offset + 24))
                offset += 32
            }
            hash = turn(lanes.0, 1) &+ turn(lanes.1, 7) &+ turn(lanes.2, 12) &+ turn(lanes.3, 18)
            for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
                hash = (hash ^ round(0, lane)) &* prime1 &+ prime4
            }
        } else {
            hash = seed &+ prime5
        }
        hash = hash &+ UInt64(bytes.count)
        while offset + 8 <= bytes.count {
            hash = turn(hash ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
            offset += 8
        }
        if offset + 4 <= bytes.count {
            let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            hash = turn(hash ^ UInt64(half) &* prime1, 23) &* prime2 &+ prime3
            offset += 4
        }
        for byte in bytes[offset...] { hash = turn(hash ^ UInt64(byte) &* prime5, 11) &* prime1 }
        hash = (hash ^ hash >> 33) &* prime2
        hash = (hash ^ hash >> 29) &* prime3
        return hash ^ hash >> 32
    }

    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    private static func turn(_ value: UInt64, _ by: UInt64) -> UInt64 { value &<< by | value &>> (64 &- by) }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        turn(lane &+ word &* prime2, 31) &* prime1
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
