/// The hash function SHA-256 (FIPS 180-4). It names the files of the cache: no server can choose a URL whose name is
/// that of another resource.
enum SHA256 {
    /// Returns the 32-byte digest of a text.
    static func digest(of text: String) -> [UInt8] {
        var message = Array(text.utf8)
        let bitCount = UInt64(message.count) * 8
        message.append(0x80)
        message += [UInt8](repeating: 0, count: (120 - message.count % 64) % 64)
        message += (0..<8).reversed().map { UInt8(truncatingIfNeeded: bitCount >> ($0 * 8)) }
        var state = initialState
        for start in stride(from: 0, to: message.count, by: 64) {
            process(message[start..<start + 64], &state)
        }
        return state.flatMap(bytes)
    }

    private static func process(_ block: ArraySlice<UInt8>, _ state: inout [UInt32]) {
        var schedule = (0..<16).map { word in
            block.dropFirst(word * 4).prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let sum0 = turn(early, 7) ^ turn(early, 18) ^ early >> 3
            let sum1 = turn(late, 17) ^ turn(late, 19) ^ late >> 10
            schedule.append(schedule[index - 16] &+ sum0 &+ schedule[index - 7] &+ sum1)
        }
        // The eight working variables a to h of the standard.
        var work = state
        for index in 0..<64 {
            let (a, e) = (work[0], work[4])
            let choice = e & work[5] ^ ~e & work[6]
            let majority = a & work[1] ^ a & work[2] ^ work[1] & work[2]
            let sum1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
            let sum0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
            let first = work[7] &+ sum1 &+ choice &+ constants[index] &+ schedule[index]
            work.removeLast()
            work.insert(first &+ sum0 &+ majority, at: 0)
            work[4] = work[4] &+ first
        }
        for index in 0..<8 { state[index] = state[index] &+ work[index] }
    }

    private static func turn(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    private static func bytes(_ word: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }

    /// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
    private static let initialState: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
        0x5BE0_CD19,
    ]

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
        0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
        0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
        0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
        0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
        0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
        0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
        0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
        0xC671_78F2,
    ]
}
