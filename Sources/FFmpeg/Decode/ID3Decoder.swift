internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// A decoder for ID3 tags that are timed with the media, as in HLS transport streams.
final class ID3Decoder: TextDecoder {
    func flush() {}

    func decode(_ packet: Packet) throws(MediaError) -> [TextCue] {
        guard let payload = packet.payload as? FFmpegPacketPayload, let start = packet.presentationTime,
            let data = payload.owner.pointer.pointee.data
        else { return [] }
        let size = Int(max(0, payload.owner.pointer.pointee.size))
        let values = ID3Tag.values(Array(UnsafeRawBufferPointer(start: data, count: size)))
        guard !values.isEmpty else { return [] }
        let range = MediaTimeRange(start: start, duration: packet.duration ?? .indefinite)
        return [TextCue(text: "", timeRange: range, track: packet.track, values: values)]
    }
}

/// The frames of an ID3v2.3 or 2.4 tag by name. Texts and links are strings, user-defined texts have the key
/// "TXXX:name", and "PRIV:owner" and all other frames are hexadecimal digits.
enum ID3Tag {
    static func values(_ tag: [UInt8]) -> [String: String] {
        guard tag.count > 10, tag.starts(with: Array("ID3".utf8)), tag[3] == 3 || tag[3] == 4 else {
            return [:]
        }
        let isNewer = tag[3] == 4
        let end = min(tag.count, 10 + number(tag[6..<10], bits: 7))
        var values: [String: String] = [:]
        var offset = 10
        // An extended header declares its length. In version 4 the length includes its own four bytes.
        if tag[5] & 0x40 != 0, offset + 4 <= end {
            let length = number(tag[offset..<offset + 4], bits: isNewer ? 7 : 8)
            offset += isNewer ? max(4, length) : length + 4
        }
        while offset + 10 <= end, tag[offset] != 0 {
            let name = String(decoding: tag[offset..<offset + 4], as: UTF8.self)
            let size = number(tag[offset + 4..<offset + 8], bits: isNewer ? 7 : 8)
            offset += 10
            guard size > 0, size <= end - offset else { break }
            let (key, value) = frame(name, tag[offset..<offset + size])
            values[key] = value
            offset += size
        }
        return values
    }

    private static func number(_ bytes: ArraySlice<UInt8>, bits: Int) -> Int {
        bytes.reduce(0) { $0 << bits | Int(bits == 7 ? $1 & 0x7F : $1) }
    }

    private static func frame(_ name: String, _ content: ArraySlice<UInt8>) -> (String, String) {
        if name == "TXXX" {
            let parts = texts(content)
            return ("TXXX:\(parts.first ?? "")", parts.dropFirst().joined(separator: "\n"))
        }
        if name.hasPrefix("T") { return (name, texts(content).joined(separator: "\n")) }
        if name.hasPrefix("W"), name != "WXXX" { return (name, latin(content)) }
        if name == "PRIV", let zero = content.firstIndex(of: 0) {
            return ("PRIV:\(latin(content[..<zero]))", hexadecimal(content[(zero + 1)...]))
        }
        return (name, hexadecimal(content))
    }

    /// Returns the texts of a frame. The first byte is the encoding, and texts are separated by zeros.
    private static func texts(_ content: ArraySlice<UInt8>) -> [String] {
        guard let encoding = content.first else { return [] }
        let bytes = Array(content.dropFirst())
        let text: String
        switch encoding {
        case 1, 2: text = wide(bytes, isBigEndian: encoding == 2)
        case 3: text = String(decoding: bytes, as: UTF8.self)
        default: text = latin(bytes[...])
        }
        var parts = text.split(separator: "\0", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == "\u{FEFF}" })
        }
        while parts.count > 1, parts.last == "" { parts.removeLast() }
        return parts
    }

    private static func wide(_ bytes: [UInt8], isBigEndian: Bool) -> String {
        var isBig = isBigEndian
        if bytes.starts(with: [0xFE, 0xFF]) { isBig = true }
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func latin(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
