import CoreMedia
import Foundation
import MediaCore

/// The requested layout and size of pixel buffers.
struct PixelBufferAttributes {
    /// The accepted formats, most preferred first. The default is a plane of Y, and one of U and V.
    var formats: [PixelFormat]
    /// The requested size, or nil for that of the video.
    var size: PixelSize?

    /// Creates attributes. Formats that are unknown are logged.
    init(_ attributes: [String: Any]) {
        let requested = Self.numbers(attributes[kCVPixelBufferPixelFormatTypeKey])
        let known = requested.compactMap { CVPixelFormat.format(of: OSType(truncatingIfNeeded: $0)) }
        if known.count < requested.count {
            Misuse.report("pixel buffer attributes: unknown pixel formats in \(requested)")
        }
        formats = known.isEmpty ? [.nv12, .p010le] : known
        let width = Self.numbers(attributes[kCVPixelBufferWidthKey]).first ?? 0
        let height = Self.numbers(attributes[kCVPixelBufferHeightKey]).first ?? 0
        if width > 0, height > 0 {
            size = PixelSize(width: Int(clamping: width), height: Int(clamping: height))
        }
    }

    /// Returns the numbers in a value, whatever their type is.
    static func numbers(_ value: Any?) -> [Int64] {
        if let list = value as? [Any] { return list.flatMap { numbers($0) } }
        switch value {
        case let number as NSNumber: return [number.int64Value]
        case let number as any BinaryInteger: return [Int64(clamping: number)]
        case let number as any BinaryFloatingPoint: return [Int64(exactly: Double(number).rounded()) ?? 0]
        default: return []
        }
    }
}
