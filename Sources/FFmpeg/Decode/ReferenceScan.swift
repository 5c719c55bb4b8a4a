internal import CFFmpeg

/// Finds packets whose frames no other frame refers to, so that a decoder does not have to see them.
///
/// libav leaves such frames out too (`AVDISCARD_NONREF`), but only after their packets went to a thread each: with
/// two threads and every second frame left out, one of two cores has nothing to do. Some of its decoders leave
/// nothing out.
protocol ReferenceScan {
    /// A packet with a key frame may change what is known of the stream.
    mutating func noteKeyFrame(_ packet: UnsafeRawBufferPointer)

    /// True: no later frame needs what the packet holds. Where anything is unclear, false.
    func isUnreferenced(_ packet: UnsafeRawBufferPointer) -> Bool
}

/// The scan for a stream. nil: libav has to do it.
func makeReferenceScan(_ parameters: AVCodecParameters) -> (any ReferenceScan)? {
    let configuration = UnsafeRawBufferPointer(
        start: parameters.extradata,
        count: parameters.extradata == nil ? 0 : Int(max(0, parameters.extradata_size))
    )
    switch parameters.codec_id {
    case AV_CODEC_ID_AV1: return AV1FrameScan(configuration: configuration)
    case AV_CODEC_ID_H264: return H264FrameScan(configuration: configuration)
    case AV_CODEC_ID_HEVC: return HEVCFrameScan(configuration: configuration)
    default: return nil
    }
}
