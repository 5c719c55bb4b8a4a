import Testing

@testable import FFmpeg

// Rule: skipped-packets
/// The packets are assembled from NAL units, because the available encoders produce few kinds of them.
@Suite("Packets with unreferenced frames")
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
        "H.264: a packet is unreferenced if every slice has nal_ref_idc 0 and no unit affects later frames",
        arguments: [
            ([[0x01, 9]], true),
            ([[0x41, 9]], false),
            ([[0x21, 9]], false),
            ([[0x65, 9]], false),
            // Access unit delimiter, SEI, two slices, filler data.
            ([[0x09, 0x50], [0x06, 5, 4], [0x01, 9], [0x01, 9, 9], [0x0C, 0xFF]], true),
            // The two fields of a frame, of which the second is referenced.
            ([[0x01, 9], [0x41, 9]], false),
            // Parameter sets and the end of a sequence affect later frames.
            ([[0x67, 1, 2, 3], [0x01, 9]], false),
            ([[0x01, 9], [0x0A]], false),
            // No frame.
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
        "HEVC: a packet is unreferenced if its pictures are non-reference pictures of the highest sub-layer",
        arguments: [
            (1, [[0x00, 1, 9]], true),
            (1, [[0x02, 1, 9]], false),
            // RASL_N and RASL_R.
            (1, [[0x10, 1, 9]], true),
            (1, [[0x12, 1, 9]], false),
            // Pictures of the third sub-layer may refer to the second one.
            (3, [[0x00, 2, 9]], false),
            (3, [[0x04, 3, 9]], true),
            // IDR and reserved types.
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

    @Test("A packet that is truncated anywhere is decoded, and no byte beyond it is read")
    func cut() {
        let whole = packet([[0x09, 0x50], [0x01, 9, 9, 9]])
        let scan = h264(avcC())
        #expect(isUnreferenced(whole, by: scan) == true)
        for count in whole.indices.dropFirst(7) {
            #expect(isUnreferenced(Array(whole.prefix(count)), by: scan) == false, "\(count)")
        }
        #expect(isUnreferenced([0xFF, 0xFF, 0xFF, 0xFF, 1], by: scan) == false)
    }

    @Test("Without length prefixes, or without the number of sub-layers, the decision is left to libav")
    func notKnown() {
        #expect(h264([0, 0, 0, 1, 0x67, 1, 2, 3]) == nil)
        #expect(h264([]) == nil)
        #expect(hevc([0, 0, 0, 1] + [UInt8](repeating: 0, count: 30)) == nil)
        #expect(hevc(hvcC(layers: 0)) == nil)
        #expect(hevc(Array(hvcC(layers: 1).prefix(20))) == nil)
    }
}
