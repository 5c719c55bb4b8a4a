internal import CFFmpeg

/// The header of an H.263 picture (ITU-T H.263, 5.1), as far as it declares how the picture is coded.
///
/// libav's parser does not read it, so its demuxers for raw H.263 and for AVI mark every packet as a key frame.
enum H263PictureHeader {
    /// Removes the mark of a key frame from a packet of H.263 whose picture is predicted from another one.
    static func correctKeyFlag(of packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafePointer<AVStream>) {
        guard packet.pointee.flags & AV_PKT_FLAG_KEY != 0,
            stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_H263, let data = packet.pointee.data,
            isPredicted(UnsafeBufferPointer(start: data, count: Int(max(0, packet.pointee.size))))
        else { return }
        packet.pointee.flags &= ~AV_PKT_FLAG_KEY
    }

    /// Returns whether the bytes begin with a picture that is predicted from another one.
    static func isPredicted(_ picture: some Collection<UInt8>) -> Bool {
        guard picture.count >= 8 else { return false }
        let bits = picture.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        func number(at position: UInt64, count: UInt64) -> UInt64 {
            (bits >> (64 - position - count)) & ((1 << count) - 1)
        }
        guard number(at: 0, count: 22) == 0x20 else { return false }
        let isExtended = number(at: 35, count: 3) == 7
        guard isExtended else { return number(at: 38, count: 1) == 1 }
        // The optional part of an extended picture type has 18 bits. 0 is an intra picture.
        let hasOptionalPart = number(at: 38, count: 3) == 1
        return number(at: hasOptionalPart ? 59 : 41, count: 3) != 0
    }
}
