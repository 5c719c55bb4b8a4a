// The names are those of the C constants.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

package import MediaCore

/// A code of four characters.
public typealias FourCharCode = UInt32
/// A code of four characters.
public typealias OSType = FourCharCode

/// Three bytes per pixel: red, green, blue.
public let kCVPixelFormatType_24RGB: OSType = 0x18
/// Four bytes per pixel: alpha, red, green, blue.
public let kCVPixelFormatType_32ARGB: OSType = 0x20
/// Four bytes per pixel: blue, green, red, alpha.
public let kCVPixelFormatType_32BGRA: OSType = 0x4247_5241
/// Four bytes per pixel: red, green, blue, alpha.
public let kCVPixelFormatType_32RGBA: OSType = 0x5247_4241
/// One byte per pixel.
public let kCVPixelFormatType_OneComponent8: OSType = 0x4c30_3038
/// Planes of Y, U and V, 8 bits, chroma at half resolution, limited range.
public let kCVPixelFormatType_420YpCbCr8Planar: OSType = 0x7934_3230
/// The same in full range.
public let kCVPixelFormatType_420YpCbCr8PlanarFullRange: OSType = 0x6634_3230
/// A plane of Y and a plane of U and V, 8 bits, chroma at half resolution, limited range.
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: OSType = 0x3432_3076
/// The same in full range.
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: OSType = 0x3432_3066
/// A plane of Y and a plane of U and V, 10 bits in two bytes, chroma at half resolution, limited range.
public let kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange: OSType = 0x7834_3230
/// The same in full range.
public let kCVPixelFormatType_420YpCbCr10BiPlanarFullRange: OSType = 0x7866_3230

/// The key of the layout of pixels: a number, or an array of numbers with the preferred one first.
public let kCVPixelBufferPixelFormatTypeKey = "PixelFormatType"
/// The key of the width in pixels.
public let kCVPixelBufferWidthKey = "Width"
/// The key of the height in pixels.
public let kCVPixelBufferHeightKey = "Height"
/// The key of properties of shared memory. It has no effect.
public let kCVPixelBufferIOSurfacePropertiesKey = "IOSurfaceProperties"
/// The key that requests memory for Metal. It has no effect.
public let kCVPixelBufferMetalCompatibilityKey = "MetalCompatibility"
/// The key that requests memory for OpenGL. It has no effect.
public let kCVPixelBufferOpenGLCompatibilityKey = "OpenGLCompatibility"
/// The key that requests memory for OpenGL ES. It has no effect.
public let kCVPixelBufferOpenGLESCompatibilityKey = "OpenGLESCompatibility"
/// The key that requests memory for images. It has no effect.
public let kCVPixelBufferCGImageCompatibilityKey = "CGImageCompatibility"
/// The key that requests memory for bitmap contexts. It has no effect.
public let kCVPixelBufferCGBitmapContextCompatibilityKey = "CGBitmapContextCompatibility"

/// The relation between the codes of pixel formats and the player's names.
package enum CVPixelFormat {
    private static let names: [(type: OSType, name: String, isFullRange: Bool)] = [
        (kCVPixelFormatType_24RGB, "rgb24", true),
        (kCVPixelFormatType_32ARGB, "argb", true),
        (kCVPixelFormatType_32BGRA, "bgra", true),
        (kCVPixelFormatType_32RGBA, "rgba", true),
        (kCVPixelFormatType_OneComponent8, "gray", true),
        (kCVPixelFormatType_420YpCbCr8Planar, "yuv420p", false),
        (kCVPixelFormatType_420YpCbCr8PlanarFullRange, "yuv420p", true),
        (kCVPixelFormatType_420YpCbCr8PlanarFullRange, "yuvj420p", true),
        (kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, "nv12", false),
        (kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, "nv12", true),
        (kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, "p010le", false),
        (kCVPixelFormatType_420YpCbCr10BiPlanarFullRange, "p010le", true),
    ]

    /// Returns the player's name of a layout, or nil. The range is that of the video.
    ///
    /// - Parameter type: The code.
    /// - Returns: The pixel format.
    package static func format(of type: OSType) -> PixelFormat? {
        names.first { $0.type == type }.map { PixelFormat(rawValue: $0.name) }
    }

    /// Returns the code of a format, or 0.
    static func type(of format: VideoFormat) -> OSType {
        let matches = names.filter { $0.name == format.pixelFormat.rawValue }
        let isFullRange = format.color.isFullRange ?? false
        return (matches.first { $0.isFullRange == isFullRange } ?? matches.first)?.type ?? 0
    }

    /// Whether the planes after the first have half as many samples in a row.
    static func halvesChromaWidth(_ format: PixelFormat) -> Bool {
        ["yuv420p", "yuvj420p", "nv12", "p010le"].contains(format.rawValue)
    }
}
