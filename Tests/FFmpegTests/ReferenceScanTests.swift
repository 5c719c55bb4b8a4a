import Testing

@testable import FFmpeg

// Rule: skipped-packets
/// Packets are made here unit by unit, for encoders at hand write few kinds of them.
@Suite("Packets whose frames no other frame refers to")
struct ReferenceScanTests {
    private func packet(_ units: [[UInt8]], lengthSize: Int = 4) -> [UInt8] {
        units.flatMap { unit in
            (0..<lengthSize).reversed().map { UInt8(truncatingIfNeeded: unit.count >> (8 * $0)) } + unit
        }
    }

    private func avcC(lengthSize: Int = 4) -> [UInt8] {
        [1, 100, 0, 40, 0xFC | UInt8(lengthSize - 1), 0xE0, 0]
    }

    private func hvcC(layers: UInt8, lengthSize: Int = 4) -> [UInt8] {
        [1] + [UInt8](repeating: 0, count: 20) + [layers << 3 | 4 | UInt8(lengthSize - 1), 0]
    }

    private func isUnreferenced(_ packet: [UInt8], by scan: (any ReferenceScan)?) -> Bool? {
        packet.withUnsafeBytes { bytes in scan.map { $0.isUnreferenced(bytes) } }
    }

    private func h264(_ configuration: [UInt8]) -> H264FrameScan? {
        configuration.withUnsafeBytes { H264FrameScan(configuration: $0) }
    }

    private func hevc(_ configuration: [UInt8]) -> HEVCFrameScan? {
        configuration.withUnsafeBytes { HEVCFrameScan(configuration: $0) }
    }

    @Test(
        "H.264: every slice has nal_ref_idc 0, and nothing else matters to later frames",
        arguments: [
            ([[0x01, 9]], true),
            ([[0x41, 9]], false),
            ([[0x21, 9]], false),
            ([[0x65, 9]], false),
            // Delimiter, supplemental information, two slices, filler.
            ([[0x09, 0x50], [0x06, 5, 4], [0x01, 9], [0x01, 9, 9], [0x0C, 0xFF]], true),
            // The two fields of a frame: the second is referred to.
            ([[0x01, 9], [0x41, 9]], false),
            // Parameter sets and the end of a sequence hold for what follows.
            ([[0x67, 1, 2, 3], [0x01, 9]], false),
            ([[0x01, 9], [0x0A]], false),
            // No frame at all.
            ([[0x06, 5, 4]], false),
            ([], false),
        ] as [([[UInt8]], Bool)]
    )
    func h264(units: [[UInt8]], expected: Bool) {
        for size in [1, 2, 4] {
            let scan = h264(avcC(lengthSize: size))
            #expect(isUnreferenced(packet(units, lengthSize: size), by: scan) == expected)
        }
    }

    @Test(
        "HEVC: pictures that are not referred to, of the highest sub-layer alone",
        arguments: [
            (1, [[0x00, 1, 9]], true),
            (1, [[0x02, 1, 9]], false),
            // RASL_N and RASL_R.
            (1, [[0x10, 1, 9]], true),
            (1, [[0x12, 1, 9]], false),
            // Pictures of the third sub-layer may refer to the second one.
            (3, [[0x00, 2, 9]], false),
            (3, [[0x04, 3, 9]], true),
            // IDR, reserved types.
            (1, [[0x26, 1, 9]], false),
            (1, [[0x14, 1, 9]], false),
            (1, [[0x46, 1, 0x50], [0x4E, 1, 4], [0x00, 1, 9], [0x50, 1, 7]], true),
            (1, [[0x40, 1, 9], [0x00, 1, 9]], false),
            (1, [[0x00, 1, 9], [0x48, 1]], false),
        ] as [(UInt8, [[UInt8]], Bool)]
    )
    func hevc(layers: UInt8, units: [[UInt8]], expected: Bool) {
        for size in [1, 2, 4] {
            let scan = hevc(hvcC(layers: layers, lengthSize: size))
            #expect(isUnreferenced(packet(units, lengthSize: size), by: scan) == expected)
        }
    }

    @Test("A packet that is cut anywhere is decoded, and nothing is read behind it")
    func cut() {
        let whole = packet([[0x09, 0x50], [0x01, 9, 9, 9]])
        let scan = h264(avcC())
        #expect(isUnreferenced(whole, by: scan) == true)
        for count in whole.indices.dropFirst(7) {
            #expect(isUnreferenced(Array(whole.prefix(count)), by: scan) == false, "\(count)")
        }
        #expect(isUnreferenced([0xFF, 0xFF, 0xFF, 0xFF, 1], by: scan) == false)
    }

    @Test("Without lengths, or without the number of sub-layers, libav decides")
    func notKnown() {
        #expect(h264([0, 0, 0, 1, 0x67, 1, 2, 3]) == nil)
        #expect(h264([]) == nil)
        #expect(hevc([0, 0, 0, 1] + [UInt8](repeating: 0, count: 30)) == nil)
        #expect(hevc(hvcC(layers: 0)) == nil)
        #expect(hevc(Array(hvcC(layers: 1).prefix(20))) == nil)
    }
}
