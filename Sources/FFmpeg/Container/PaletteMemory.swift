internal import CFFmpeg

/// The palettes of each stream of paletted video, by their positions in the file. libav attaches a palette only to the
/// first packet that it applies to, and does not repeat it after a seek.
struct PaletteMemory {
    private struct Change {
        /// The position in the file from which on the palette applies.
        let position: Int64
        let palette: [UInt8]
    }

    /// The largest number of palettes of a stream to keep.
    private static let limit = 1024

    /// The changes by stream index, in the order of their positions.
    private var changes: [Int32: [Change]] = [:]
    /// The streams of which no packet has been read since the last seek.
    private var waiting: Set<Int32> = []

    mutating func noteSeek() { waiting = Set(changes.keys) }

    /// Records the palette of a packet that libav has delivered, or attaches the one of its position to a packet at
    /// which a decoder may begin: a key frame, which may be decoded again, and the first packet after a seek.
    mutating func update(_ packet: PacketOwner) {
        let index = packet.pointer.pointee.stream_index
        // A packet without a position is the newest one.
        let position = packet.pointer.pointee.pos < 0 ? Int64.max : packet.pointer.pointee.pos
        var size = 0
        if packet.pointer.pointee.side_data_elems > 0,
            let data = av_packet_get_side_data(packet.pointer, AV_PKT_DATA_PALETTE, &size),
            size == PlaneLayout.paletteSize
        {
            let palette = Array(UnsafeBufferPointer(start: data, count: size))
            record(Change(position: position, palette: palette), of: index)
            waiting.remove(index)
            return
        }
        guard let palette = palette(of: index, at: position),
            waiting.remove(index) != nil || packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0
        else { return }
        packet.attach(palette, as: AV_PKT_DATA_PALETTE)
    }

    private func palette(of index: Int32, at position: Int64) -> [UInt8]? {
        let known = changes[index]
        return (known?.last { $0.position <= position } ?? known?.first)?.palette
    }

    private mutating func record(_ change: Change, of index: Int32) {
        var known = changes[index] ?? []
        known.removeAll { $0.position == change.position }
        if known.count >= Self.limit { known.removeFirst() }
        let next = known.firstIndex { $0.position > change.position } ?? known.count
        known.insert(change, at: next)
        changes[index] = known
    }
}
