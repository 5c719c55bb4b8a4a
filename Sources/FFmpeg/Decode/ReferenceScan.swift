internal import CFFmpeg

/// Detects packets whose frames are not referenced by other frames, so that they need not be decoded.
///
/// libav can skip such frames too (`AVDISCARD_NONREF`), but only after each packet has been passed to a thread. With
/// two threads and every second frame skipped, one of two cores is idle. Some of its decoders do not skip frames at
/// all.
protocol ReferenceScan {
    /// Updates what is known about the stream from a packet with a key frame.
    mutating func noteKeyFrame(_ packet: UnsafeRawBufferPointer)

    /// Returns true if no later frame needs the packet, and false in case of doubt.
    func isUnreferenced(_ packet: UnsafeRawBufferPointer) -> Bool
}

/// Returns the scan for a stream, or nil if skipping is left to libav.
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
