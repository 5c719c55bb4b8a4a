internal import CFFmpeg

/// The newest palette of each stream of paletted video. libav attaches a palette only to the first packet that it
/// applies to, and does not repeat it after a seek.
struct PaletteMemory {
    private var palettes: [Int32: [UInt8]] = [:]
    /// The streams of which no packet has been returned since the last seek.
    private var waiting: Set<Int32> = []

    /// Records the palette of a packet that libav has delivered.
    mutating func record(_ packet: PacketOwner) {
        guard packet.pointer.pointee.side_data_elems > 0 else { return }
        var size = 0
        guard let data = av_packet_get_side_data(packet.pointer, AV_PKT_DATA_PALETTE, &size),
            size == PlaneLayout.paletteSize
        else { return }
        palettes[packet.pointer.pointee.stream_index] = Array(UnsafeBufferPointer(start: data, count: size))
    }

    mutating func noteSeek() { waiting = Set(palettes.keys) }

    /// Attaches the palette to the first packet of a stream after a seek, unless it has one.
    mutating func restore(in packet: PacketOwner) {
        let index = packet.pointer.pointee.stream_index
        guard waiting.remove(index) != nil, let palette = palettes[index],
            av_packet_get_side_data(packet.pointer, AV_PKT_DATA_PALETTE, nil) == nil
        else { return }
        packet.attach(palette, as: AV_PKT_DATA_PALETTE)
    }
}
