/// Detects HEVC packets whose frames are not referenced by other frames: sub-layer non-reference pictures of the
/// highest sub-layer (ITU-T H.265, 7.4.2.2, table 7-1). Pictures of a higher sub-layer may refer to those of a lower
/// one. It requires length-prefixed NAL units, as in MP4 and Matroska.
struct HEVCFrameScan: ReferenceScan {
    private let lengthSize: Int
    /// The `nuh_temporal_id_plus1` of the highest sub-layer.
    private let highestLayer: UInt8

    /// Creates a scan. `configuration` is the `hvcC` record (ISO/IEC 14496-15, 8.3.3.1). Returns nil also if the record
    /// does not declare the number of sub-layers.
    init?(configuration: UnsafeRawBufferPointer) {
        guard configuration.count > 22, configuration[0] == 1 else { return nil }
        lengthSize = Int(configuration[21] & 3) + 1
        highestLayer = configuration[21] >> 3 & 7
        guard highestLayer > 0 else { return nil }
    }

    func noteKeyFrame(_ packet: UnsafeRawBufferPointer) {}

    func isUnreferenced(_ packet: UnsafeRawBufferPointer) -> Bool {
        NALUnit.allUnreferenced(in: packet, lengthSize: lengthSize, headerSize: 2) { header in
            switch header[0] >> 1 & 63 {
            // Pictures that are not random access points: those with an even type are not referenced.
            case 0...9: header[0] & 2 == 0 && header[1] & 7 >= highestLayer ? .unreferenced : .needed
            // Access unit delimiter, filler data and SEI.
            case 35, 38...40: .noFrame
            default: .needed
            }
        }
    }
}
