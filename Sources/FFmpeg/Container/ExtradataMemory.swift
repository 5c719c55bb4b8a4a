internal import CFFmpeg

/// The extradata that the packets of each stream of MP4 and FLV need, if it changes within the file: that of a sample
/// description (ISO/IEC 14496-12, 8.5.2), or of a sequence header.
///
/// libav attaches it only to the first packet that it reads after a change. A decoder also needs it for the packets
/// after that one, if it is created again or receives packets again after a seek.
struct ExtradataMemory {
    private struct Change {
        /// The position in the file from which on the extradata applies.
        let position: Int64
        /// Nil means the extradata of the stream.
        let extradata: [UInt8]?
    }

    /// The largest number of changes of a stream to record.
    private static let limit = 1024

    /// The changes by stream index, in the order of their positions.
    private var changes: [Int32: [Change]] = [:]

    /// Sets the extradata of a packet that libav has delivered. `formatName` is libav's name of the container.
    mutating func update(
        _ packet: PacketOwner,
        _ stream: UnsafePointer<AVStream>,
        formatName: @autoclosure () -> String
    ) {
        let index = packet.pointer.pointee.stream_index
        let position = packet.pointer.pointee.pos
        var size = 0
        if packet.pointer.pointee.side_data_elems > 0,
            let data = av_packet_get_side_data(packet.pointer, AV_PKT_DATA_NEW_EXTRADATA, &size), size > 0,
            let parameters = stream.pointee.codecpar
        {
            let bytes = Array(UnsafeBufferPointer(start: data, count: size))
            let extradata = bytes == parameters.pointee.extradataBytes ? nil : bytes
            switch formatName() {
            // After a seek, too, libav reports each change.
            case let name where name.hasPrefix("mov"):
                changes[index] = [Change(position: .min, extradata: extradata)]
            case "flv": record(Change(position: position, extradata: extradata), of: index)
            default: break
            }
        }
        packet.extradata = extradata(of: index, at: position)
    }

    private func extradata(of index: Int32, at position: Int64) -> [UInt8]? {
        changes[index]?.last { $0.position <= position }?.extradata
    }

    private mutating func record(_ change: Change, of index: Int32) {
        guard extradata(of: index, at: change.position) != change.extradata,
            changes[index, default: []].count < Self.limit
        else { return }
        let next = (changes[index]?.lastIndex { $0.position < change.position } ?? -1) + 1
        changes[index, default: []].insert(change, at: next)
    }
}
