internal import CFFmpeg

/// The header of an H.261 picture (ITU-T H.261, 4.2.1), as far as it declares how the picture is coded.
///
/// It has no picture type, so libav's demuxer for raw H.261 marks every packet as a key frame.
enum H261PictureHeader {
    /// Removes the mark of a key frame from a packet of raw H.261 whose picture may be predicted from another one. The
    /// first picture of the file keeps it.
    static func correctKeyFlag(
        of packet: UnsafeMutablePointer<AVPacket>,
        _ stream: UnsafePointer<AVStream>,
        formatName: @autoclosure () -> String
    ) {
        guard packet.pointee.flags & AV_PKT_FLAG_KEY != 0, packet.pointee.pos > 0,
            stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_H261, let data = packet.pointee.data,
            formatName() == "h261",
            mayBePredicted(UnsafeBufferPointer(start: data, count: Int(max(0, packet.pointee.size))))
        else { return }
        packet.pointee.flags &= ~AV_PKT_FLAG_KEY
    }

    /// Returns whether the bytes begin with a picture that may be predicted from another one.
    ///
    /// A picture that releases a frozen one is the response to a fast update request (4.3), and is coded without
    /// prediction. FFmpeg declares this for all of its intra pictures.
    static func mayBePredicted(_ picture: some Collection<UInt8>) -> Bool {
        guard picture.count >= 8 else { return false }
        let bits = picture.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // The start code has 15 zeros, a one and 4 zeros. It may begin at any bit, and libav divides the stream at
        // bytes, so some of the first zeros may be missing.
        let one = UInt64(bits.leadingZeroBitCount)
        guard 8...22 ~= one, (bits << (one + 1)) >> 60 == 0 else { return false }
        // The temporal reference has 5 bits. The third bit of the picture's type releases a frozen one.
        return (bits << (one + 12)) >> 63 == 0
    }
}
