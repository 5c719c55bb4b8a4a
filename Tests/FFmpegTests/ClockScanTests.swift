import Foundation
import TestSupport
import Testing

@testable import FFmpeg

@Suite("Clock references of MPEG-2 streams")
struct ClockScanTests {
    /// Packets of 188 bytes, each tenth of which has a clock reference that is 900 ticks after the one before.
    private static func stream(_ start: Int64, packetCount: Int) -> [UInt8] {
        (0..<packetCount).flatMap { packet($0 % 10 == 0 ? start + Int64($0 / 10) * 900 : nil) }
    }

    /// Packets of which each tenth has a reference of one clock, and each tenth one of another clock.
    private static func twoClocks(_ start: Int64, packetCount: Int) -> [UInt8] {
        (0..<packetCount).flatMap { index -> [UInt8] in
            let ticks = start + Int64(index / 10) * 900
            switch index % 10 {
            case 0: return packet(ticks)
            case 5: return packet(ticks + 5_000_000_000, stream: 1)
            default: return packet(nil)
            }
        }
    }

    /// A packet with a clock reference, or with none.
    private static func packet(_ ticks: Int64?, stream: UInt8 = 0) -> [UInt8] {
        var packet = [UInt8](repeating: 0xFF, count: 188)
        packet.replaceSubrange(0..<4, with: [0x47, 0x01, stream, 0x10])
        guard let ticks else { return packet }
        let field = (ticks & (1 << 33 - 1)) << 7 | 0x7E
        packet.replaceSubrange(3..<6, with: [0x30, 183, 0x10])
        for byte in 0..<5 {
            packet[6 + byte] = UInt8(truncatingIfNeeded: field >> (32 - 8 * Int64(byte)))
        }
        return packet
    }

    private static func jumps(
        _ bytes: [UInt8],
        isProgramStream: Bool = false,
        byteCount: Int64? = nil
    ) -> [Int64] {
        let byteCount = byteCount ?? Int64(bytes.count)
        var scan = ClockScan(isProgramStream: isProgramStream, byteCount: byteCount) { offset, count in
            guard offset < bytes.count else { return [] }
            return Array(bytes[Int(offset)..<min(bytes.count, Int(offset) + count)])
        }
        return scan.jumps()
    }

    /// The starts of the parts, and the number of packets of each: a short file, and one of 11 MB.
    private static let joins: [([Int64], Int)] = [
        ([0, 0], 500), ([0, 1_000_000], 500), ([5_000_000, 0, 5_000_000], 500), ([0, 0], 30_000),
        ([0, 9_000_000_000, 0], 20_000), ([0, 8_000_000], 30_000),
        ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 5000),
    ]

    @Test("Each jump of the clock is found", arguments: joins)
    func finds(starts: [Int64], count: Int) {
        let bytes = starts.flatMap { Self.stream($0 & (1 << 33 - 1), packetCount: count) }
        #expect(Self.jumps(bytes) == (1..<starts.count).map { Int64($0 * count * 188) })
    }

    @Test("A clock that runs on, or wraps around, has no jump", arguments: [0, 1 << 33 - 45_000] as [Int64])
    func continues(start: Int64) {
        for count in [10, 500, 40_000] { #expect(Self.jumps(Self.stream(start, packetCount: count)) == []) }
    }

    @Test("Two clocks in one stream that run on have no jump")
    func twoClocks() {
        #expect(Self.jumps(Self.twoClocks(0, packetCount: 39_990)) == [])
        // All that a short file shows is where the second clock begins.
        #expect(Self.jumps(Self.twoClocks(0, packetCount: 500)) == [5 * 188])
    }

    @Test("A jump of two clocks is found, and one to the clock of other packets")
    func jumpOfTwoClocks() {
        let bytes = Self.twoClocks(0, packetCount: 20_000) + Self.twoClocks(0, packetCount: 20_000)
        #expect(Self.jumps(bytes).contains(20_000 * 188))
        let other = (0..<20_000).flatMap { index in
            Self.packet(index % 10 == 0 ? 9_000_000 + Int64(index / 10) * 900 : nil, stream: 1)
        }
        #expect(Self.jumps(Self.stream(0, packetCount: 20_000) + other) == [20_000 * 188])
    }

    @Test("Bytes of other formats have no clock")
    func noise() {
        var random = SplitMix(seed: 11)
        let bytes = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let zeros = [UInt8](repeating: 0, count: 6 << 20)
        for isProgramStream in [true, false] {
            for input in [bytes, zeros, [], [0x47], [0, 0, 1, 0xBA]] {
                #expect(Self.jumps(input, isProgramStream: isProgramStream).isEmpty || input == bytes)
            }
        }
    }

    @Test("A clock with a constant rate costs few reads in a large file")
    func cost() {
        // 75 GB at 100 Mbit/s.
        let packetCount: Int64 = 400_000_000
        var reads = 0
        var scan = ClockScan(isProgramStream: false, byteCount: packetCount * 188) { offset, count in
            reads += 1
            let last = min(packetCount, (offset + Int64(count)) / 188 + 1)
            let bytes = (offset / 188..<last).flatMap { Self.packet($0 * 1353 / 1000) }
            return Array(bytes.dropFirst(Int(offset % 188)).prefix(count))
        }
        #expect(scan.jumps() == [])
        // 16 samples, and the last 256 KB.
        #expect(reads == 21)
    }

    @Test("The size of a sparse file is not a trap", arguments: [Int64.max, 1 << 60, 1 << 42])
    func sparse(size: Int64) {
        #expect(Self.jumps(Self.stream(0, packetCount: 500), byteCount: size) == [])
    }

    @Test("References of packs are read as in MPEG-1 and MPEG-2")
    func packs() {
        let second: [UInt8] = [0, 0, 1, 0xBA, 0x66, 0x34, 0x57, 0x3C, 0x4C, 1]
        let first: [UInt8] = [0, 0, 1, 0xBA, 0x29, 0x8D, 0x15, 0xCF, 0x13, 1]
        let expected = ClockReference(position: 0, ticks: 0x1_2345_6789)
        #expect(ClockReference.inPacks(second) == [expected])
        #expect(ClockReference.inPacks(first) == [expected])
        #expect(ClockReference.inPacks(first + second).map(\.position) == [0, 10])
    }

    @Test("References of packets with a time or a checksum are read", arguments: [(192, 4), (204, 0)])
    func packetSizes(size: Int, lead: Int) {
        let plain = Self.stream(77, packetCount: 30)
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: plain.count, by: 188) {
            bytes += [UInt8](repeating: 0, count: lead) + plain[start..<(start + 188)]
            bytes += [UInt8](repeating: 0, count: size - 188 - lead)
        }
        #expect(ClockReference.inPackets(bytes).map(\.ticks) == [77, 977, 1877])
        #expect(
            ClockReference.inPackets(bytes).map(\.position) == [0, 10, 20].map { Int64($0 * size + lead) }
        )
    }

    @Test("The clock of real streams is read", .enabled(if: Fixture.areThere))
    func fixture() throws {
        let bytes = try [UInt8](Data(contentsOf: Fixture.url("clip-h264-aac.ts")))
        let references = ClockReference.inPackets(bytes)
        #expect(references.count > 20)
        #expect(
            zip(references, references.dropFirst()).allSatisfy {
                $0.ticks < $1.ticks && $1.ticks < $0.ticks + 90_000
            }
        )
        #expect(Self.jumps(bytes + bytes).count == 1)
    }
}
