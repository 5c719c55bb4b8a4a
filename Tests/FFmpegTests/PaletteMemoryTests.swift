import CFFmpeg
import Testing

@testable import FFmpeg

@Suite("Palettes of the packets of paletted video")
struct PaletteMemoryTests {
    private func packet(isKeyFrame: Bool, palette: UInt8? = nil, position: Int64 = -1) throws -> PacketOwner {
        let packet = try PacketOwner()
        packet.pointer.pointee.pos = position
        packet.pointer.pointee.flags = isKeyFrame ? AV_PKT_FLAG_KEY : 0
        if let palette {
            packet.attach([UInt8](repeating: palette, count: 1024), as: AV_PKT_DATA_PALETTE)
        }
        return packet
    }

    /// Returns the first byte of the palette of a packet, or nil if it has none.
    private func palette(of packet: PacketOwner) -> UInt8? {
        av_packet_get_side_data(packet.pointer, AV_PKT_DATA_PALETTE, nil)?.pointee
    }

    @Test("A key frame, and the first packet after a seek, have the palette that applies to them")
    func update() throws {
        var memory = PaletteMemory()
        let packets = [
            try packet(isKeyFrame: true, palette: 1), try packet(isKeyFrame: false),
            try packet(isKeyFrame: true), try packet(isKeyFrame: false, palette: 2),
            try packet(isKeyFrame: false), try packet(isKeyFrame: true),
        ]
        for packet in packets { memory.update(packet) }
        #expect(packets.map(palette) == [1, nil, 1, 2, nil, 2])
        memory.noteSeek()
        let others = [try packet(isKeyFrame: false), try packet(isKeyFrame: false)]
        for packet in others { memory.update(packet) }
        #expect(others.map(palette) == [2, nil])
    }

    @Test("After a seek back, a packet has the palette of its position, not that of a later one")
    func seekBack() throws {
        var memory = PaletteMemory()
        let packets = [
            try packet(isKeyFrame: true, palette: 1, position: 100),
            try packet(isKeyFrame: true, position: 200),
            try packet(isKeyFrame: false, palette: 2, position: 300),
            try packet(isKeyFrame: true, position: 400),
        ]
        for packet in packets { memory.update(packet) }
        #expect(packets.map(palette) == [1, 1, 2, 2])
        memory.noteSeek()
        let others = [
            try packet(isKeyFrame: false, position: 100), try packet(isKeyFrame: true, position: 200),
            try packet(isKeyFrame: true, position: 300), try packet(isKeyFrame: true, position: 500),
            try packet(isKeyFrame: true, position: 50),
        ]
        for packet in others { memory.update(packet) }
        #expect(others.map(palette) == [1, 1, 2, 2, 1])
    }

    @Test("Of too many palettes, those of the earliest positions are dropped")
    func limit() throws {
        var memory = PaletteMemory()
        for position in 0..<1026 as Range<Int64> {
            memory.update(
                try packet(isKeyFrame: true, palette: UInt8(truncatingIfNeeded: position), position: position)
            )
        }
        let packets = [
            try packet(isKeyFrame: true, position: 0), try packet(isKeyFrame: true, position: 3),
            try packet(isKeyFrame: true, position: 2000),
        ]
        for packet in packets { memory.update(packet) }
        #expect(packets.map(palette) == [2, 3, 1])
    }

    @Test("A packet before the first palette has none")
    func withoutPalette() throws {
        var memory = PaletteMemory()
        memory.noteSeek()
        let first = try packet(isKeyFrame: true)
        memory.update(first)
        #expect(palette(of: first) == nil)
    }
}
