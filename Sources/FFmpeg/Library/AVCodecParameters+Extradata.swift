internal import CFFmpeg

extension AVCodecParameters {
    /// The setup data of the codec, or an empty array if there are none.
    var extradataBytes: [UInt8] {
        guard let bytes = extradata, extradata_size > 0 else { return [] }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(extradata_size)))
    }
}
