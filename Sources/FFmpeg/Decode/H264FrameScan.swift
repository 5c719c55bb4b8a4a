/// Detects H.264 packets whose frames are not referenced by other frames: `nal_ref_idc` is 0 in all slices (ITU-T
/// H.264, 7.4.1). It requires length-prefixed NAL units, as in MP4 and Matroska.
struct H264FrameScan: ReferenceScan {
    private let lengthSize: Int

    /// Creates a scan. `configuration` is the `avcC` record (ISO/IEC 14496-15, 5.3.3.1).
    init?(configuration: UnsafeRawBufferPointer) {
        guard configuration.count > 6, configuration[0] == 1 else { return nil }
        lengthSize = Int(configuration[4] & 3) + 1
    }

    func noteKeyFrame(_ packet: UnsafeRawBufferPointer) {}

    func isUnreferenced(_ packet: UnsafeRawBufferPointer) -> Bool {
        NALUnit.allUnreferenced(in: packet, lengthSize: lengthSize, headerSize: 1) { header in
            switch header[0] & 31 {
            case 1...5: header[0] & 0x60 == 0 ? .unreferenced : .needed
            // SEI, access unit delimiter and filler data.
            case 6, 9, 12: .noFrame
            default: .needed
            }
        }
    }
}
