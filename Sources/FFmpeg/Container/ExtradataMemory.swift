internal import CFFmpeg

/// The extradata of the sample description that each stream of MP4 uses at present (ISO/IEC 14496-12, 8.5.2).
///
/// libav attaches it only to the first packet that it reads after a change. A decoder also needs it for the packets
/// after that one, if it is created again or receives packets again after a seek.
struct ExtradataMemory {
    /// The extradata by stream index. Nil means that of the stream.
    private var current: [Int32: [UInt8]] = [:]

    /// Sets the extradata of a packet that libav has delivered. `formatName` is libav's name of the container.
    mutating func update(
        _ packet: PacketOwner,
        _ stream: UnsafePointer<AVStream>,
        formatName: @autoclosure () -> String
    ) {
        let index = packet.pointer.pointee.stream_index
        var size = 0
        if packet.pointer.pointee.side_data_elems > 0,
            let data = av_packet_get_side_data(packet.pointer, AV_PKT_DATA_NEW_EXTRADATA, &size), size > 0,
            let parameters = stream.pointee.codecpar, formatName().hasPrefix("mov")
        {
            let bytes = Array(UnsafeBufferPointer(start: data, count: size))
            current[index] = bytes == parameters.pointee.extradataBytes ? nil : bytes
        }
        packet.extradata = current[index]
    }
}
