internal import CFFmpeg

/// The newest palette of each stream of paletted video. libav attaches a palette only to the first packet that it
/// applies to, and does not repeat it after a seek.
struct PaletteMemory {
    private var palettes: [Int32: [UInt8]] = [:]
    /// The streams of which no packet has been read since the last seek.
    private var waiting: Set<Int32> = []

    mutating func noteSeek() { waiting = Set(palettes.keys) }

    /// Records the palette of a packet that libav has delivered, or attaches the newest one to a packet without one at
    /// which a decoder may begin: a key frame, which may be decoded again, and the first packet after a seek.
    mutating func update(_ packet: PacketOwner) {
        let index = packet.pointer.pointee.stream_index
        var size = 0
        if packet.pointer.pointee.side_data_elems > 0,
            let data = av_packet_get_side_data(packet.pointer, AV_PKT_DATA_PALETTE, &size),
            size == PlaneLayout.paletteSize
        {
            palettes[index] = Array(UnsafeBufferPointer(start: data, count: size))
            waiting.remove(index)
            return
        }
        guard let palette = palettes[index],
            waiting.remove(index) != nil || packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0
        else { return }
        packet.attach(palette, as: AV_PKT_DATA_PALETTE)
    }
}
