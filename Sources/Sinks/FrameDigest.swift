internal import MediaCore

/// A checksum of a picture's samples, top row first, plane after plane, without padding.
protocol FrameDigest: Sendable {
    /// As in "#hash: MD5".
    var name: String { get }
    /// Lower-case hexadecimal digits.
    func digest(of planes: [VideoPlane]) throws -> String
}

/// Two lower-case digits per byte.
func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}
