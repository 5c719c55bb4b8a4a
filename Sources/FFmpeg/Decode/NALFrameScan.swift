/// Finds H.264 packets whose frames no other frame refers to: `nal_ref_idc` is 0 in all their slices (ITU-T H.264,
/// 7.4.1). Only for packets whose units have a length before them, as MP4 and Matroska store them.
struct H264FrameScan: ReferenceScan {
    private let lengthSize: Int

    /// `configuration`: the `avcC` record (ISO/IEC 14496-15, 5.3.3.1).
    init?(configuration: UnsafeRawBufferPointer) {
        guard configuration.count > 6, configuration[0] == 1 else { return nil }
        lengthSize = Int(configuration[4] & 3) + 1
    }

    func noteKeyFrame(_ packet: UnsafeRawBufferPointer) {}

    func isUnreferenced(_ packet: UnsafeRawBufferPointer) -> Bool {
        allUnits(of: packet, lengthSize: lengthSize, headerSize: 1) { header in
            switch header[0] & 31 {
            case 1...5: header[0] & 0x60 == 0 ? .unreferenced : .needed
            // Supplemental information, delimiter, filler.
            case 6, 9, 12: .noFrame
            default: .needed
            }
        }
    }
}

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
        allUnits(of: packet, lengthSize: lengthSize, headerSize: 2) { header in
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

private enum Unit { case unreferenced, needed, noFrame }

/// Whether the packet has a frame, nothing that is needed, and is whole.
private func allUnits(
    of packet: UnsafeRawBufferPointer,
    lengthSize: Int,
    headerSize: Int,
    kind: (_ header: UnsafeRawBufferPointer) -> Unit
) -> Bool {
    var hasFrame = false
    var position = 0
    while position < packet.count {
        guard packet.count - position >= lengthSize + headerSize else { return false }
        var length = 0
        for byte in packet[position..<position + lengthSize] { length = length << 8 | Int(byte) }
        position += lengthSize
        guard length >= headerSize, length <= packet.count - position else { return false }
        switch kind(UnsafeRawBufferPointer(rebasing: packet[position..<position + headerSize])) {
        case .unreferenced: hasFrame = true
        case .needed: return false
        case .noFrame: break
        }
        position += length
    }
    return hasFrame
}
