internal import CFFmpeg

/// Marks the packets of H.264 that begin with a field, with one parser for each stream.
///
/// Decoded frames do not show how they were coded: libav reports a frame of two fields as progressive if the picture
/// timing of the stream declares that, as cameras do for progressive frames that are stored as fields.
struct FieldScan {
    /// The parsers by stream index.
    private var parsers: [Int32: H264FieldParser] = [:]

    /// Marks a packet that libav has delivered. Its extradata must have been set.
    mutating func update(_ packet: PacketOwner, _ stream: UnsafePointer<AVStream>) {
        guard let parameters = stream.pointee.codecpar, parameters.pointee.codec_id == AV_CODEC_ID_H264 else {
            return
        }
        let index = stream.pointee.index
        var parser = parsers[index]
        if parser == nil || parser?.packetExtradata != packet.extradata {
            parser = H264FieldParser(
                extradata: packet.extradata ?? parameters.pointee.extradataBytes,
                packetExtradata: packet.extradata
            )
            parsers[index] = parser
        }
        packet.isField = parser?.isField(packet.pointer.pointee) ?? false
    }
}
