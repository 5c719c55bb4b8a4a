/// Finds HEVC packets whose frames no other frame refers to: sub-layer non-reference pictures of the highest
/// sub-layer (ITU-T H.265, 7.4.2.2, table 7-1). Pictures of a higher sub-layer may refer to those of a lower one.
/// Only for packets whose units have a length before them, as MP4 and Matroska store them.
struct HEVCFrameScan: ReferenceScan {
    private let lengthSize: Int
    /// `nuh_temporal_id_plus1` of the highest sub-layer.
    private let highestLayer: UInt8

    /// `configuration`: the `hvcC` record (ISO/IEC 14496-15, 8.3.3.1). nil also where it does not tell how many
    /// sub-layers there are.
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
            // Pictures that are no random access points: those with even numbers are not referred to.
            case 0...9: header[0] & 2 == 0 && header[1] & 7 >= highestLayer ? .unreferenced : .needed
            // Delimiter, filler, supplemental information.
            case 35, 38...40: .noFrame
            default: .needed
            }
        }
    }
}
