import Testing

@testable import FFmpeg

@Suite("Declared length of WAV and Wave64")
struct WaveScanTests {
    private static func number(_ value: UInt64, byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    private static func chunk(_ name: String, _ length: UInt64, _ content: [UInt8] = []) -> [UInt8] {
        Array(name.utf8) + number(length, byteCount: 4) + content
    }

    private static func length(_ bytes: [UInt8], isWave64: Bool = false) -> Int64? {
        WaveScan.audioByteCount(isWave64: isWave64) { offset, count in
            guard offset < bytes.count else { return [] }
            return Array(bytes[Int(offset)...].prefix(count))
        }
    }

    @Test(
        "The length of the data chunk is declared, unless it or that of the file is a placeholder",
        arguments: [
            (192_036, 192_000, 192_000), (3_000_000_036, 3_000_000_000, 3_000_000_000), (0, 192_000, nil),
            (192_036, 0, nil), (0xFFFF_FFFF, 0xFFFF_FFFF, nil), (0xFFFF_FFFF, 192_000, nil),
            (0x7FFF_F024, 0x7FFF_F000, nil), (0x8000_0024, 0x8000_0000, nil),
        ] as [(UInt64, UInt64, Int64?)]
    )
    func riff(file: UInt64, data: UInt64, expected: Int64?) {
        var bytes = Self.chunk("RIFF", file, Array("WAVE".utf8))
        bytes += Self.chunk("fmt ", 16, [UInt8](repeating: 0, count: 16))
        // A chunk of an odd length is padded.
        bytes += Self.chunk("LIST", 3, [1, 2, 3, 0])
        #expect(Self.length(bytes) == nil)
        bytes += Self.chunk("data", data)
        #expect(Self.length(bytes) == expected)
    }

    @Test(
        "RF64 and BW64 declare the length in ds64",
        arguments: [
            ("RF64", 5_000_000_000, 5_000_000_000), ("BW64", 192_000, 192_000), ("RF64", 0, nil),
            ("RF64", .max, nil),
        ] as [(String, UInt64, Int64?)]
    )
    func extended(name: String, declared: UInt64, expected: Int64?) {
        var bytes = Self.chunk(name, 0xFFFF_FFFF, Array("WAVE".utf8))
        let fields = [5_000_000_100, declared, 2_500_000_000].flatMap { Self.number($0, byteCount: 8) }
        bytes += Self.chunk("ds64", 28, fields + [0, 0, 0, 0])
        bytes += Self.chunk("data", 0xFFFF_FFFF)
        #expect(Self.length(bytes) == expected)
    }

    @Test(
        "The length of a chunk in Wave64 includes its header",
        arguments: [(192_024, 192_000), (0, nil), (24, nil), (1 << 63 - 1, nil), (.max, nil)]
            as [(UInt64, Int64?)]
    )
    func wave64(declared: UInt64, expected: Int64?) {
        func chunk(_ name: String, _ length: UInt64, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + [UInt8](repeating: 1, count: 12) + Self.number(length, byteCount: 8) + content
        }
        var bytes = chunk("riff", 192_200, [UInt8](repeating: 0, count: 16))
        // Chunks begin at multiples of 8 bytes.
        bytes += chunk("fmt ", 42, [UInt8](repeating: 0, count: 24))
        bytes += chunk("data", declared, [])
        #expect(Self.length(bytes, isWave64: true) == expected)
    }
}
