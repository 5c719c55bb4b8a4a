internal import CFFmpeg

/// Selects the packets of an image file that are frames of their own. libav takes any bytes after a picture for the
/// next frame of a clip.
struct PictureFilter {
    private enum Format {
        case jpeg
        case png
        case other
    }

    private static let signatureOfPNG: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private var format = Format.other
    /// Whether the first picture is the only frame, or nil until it has been read.
    private var isOnlyFrame: Bool?
    /// Whether the only frame has been read.
    private(set) var isComplete = false

    /// Whether the file has one frame, whatever follows it.
    var hasOneFrame: Bool { isOnlyFrame ?? false }
    /// Whether the first packet has to be read before `hasOneFrame` is known.
    var needsFirstPacket: Bool { format == .jpeg && isOnlyFrame == nil }

    /// Prepares for reading a container from its start. `formatName` is libav's name.
    mutating func begin(_ formatName: String) {
        switch formatName {
        case "jpeg_pipe": format = .jpeg
        case "png_pipe": format = .png
        default: format = .other
        }
        isComplete = false
    }

    /// Returns whether a packet is a frame.
    mutating func accepts(_ packet: AVPacket) -> Bool {
        switch format {
        case .jpeg:
            let isOnly = isOnlyFrame ?? Self.hasPictureIndex(Self.bytes(of: packet))
            isOnlyFrame = isOnly
            isComplete = isOnly
            return true
        case .png:
            // Bytes after the end of a picture become a packet of their own, which no decoder accepts.
            return Self.bytes(of: packet).starts(with: Self.signatureOfPNG)
        case .other:
            return true
        }
    }

    private static func bytes(of packet: AVPacket) -> UnsafeBufferPointer<UInt8> {
        guard let data = packet.data else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: data, count: Int(max(0, packet.size)))
    }

    /// Returns whether the header of a JPEG picture has an index of the pictures after it (Multi-Picture Format, CIPA
    /// DC-007). They belong to the first one: a gain map, a preview or the view of the other eye.
    private static func hasPictureIndex(_ picture: UnsafeBufferPointer<UInt8>) -> Bool {
        guard picture.count > 2, picture[0] == 0xFF, picture[1] == 0xD8 else { return false }
        var offset = 2
        while offset + 8 <= picture.count, picture[offset] == 0xFF {
            let marker = picture[offset + 1]
            // A marker may follow any number of fill bytes.
            if marker == 0xFF {
                offset += 1
                continue
            }
            // The header ends where the coded samples start.
            if marker == 0xDA || marker == 0xD9 { return false }
            let name = picture[(offset + 4)..<(offset + 8)]
            if marker == 0xE2, name.elementsEqual("MPF\0".utf8) { return true }
            offset += 2 + (Int(picture[offset + 2]) << 8 | Int(picture[offset + 3]))
        }
        return false
    }
}
