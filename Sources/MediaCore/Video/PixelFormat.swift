/// The layout of a frame's samples in memory, by FFmpeg's name ("yuv420p", "nv12", "rgba" ...).
public struct PixelFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Planar YUV, 8 bits, chroma halved both ways: what most video is. Limited range unless the frame says
    /// otherwise.
    public static let yuv420p = PixelFormat(rawValue: "yuv420p")
    /// As `yuv420p`, in full range: JPEG's.
    public static let yuvj420p = PixelFormat(rawValue: "yuvj420p")
    /// Planar YUV, 8 bits, chroma halved from left to right.
    public static let yuv422p = PixelFormat(rawValue: "yuv422p")
    /// Planar YUV, 8 bits, a chroma sample for each pixel.
    public static let yuv444p = PixelFormat(rawValue: "yuv444p")
    /// As `yuv420p` with 10 bits, in two bytes each, the low one first.
    public static let yuv420p10le = PixelFormat(rawValue: "yuv420p10le")
    /// 8 bits, chroma halved both ways: a plane of Y, and one of U and V in turn.
    public static let nv12 = PixelFormat(rawValue: "nv12")
    /// As `nv12` with 10 bits, in the upper bits of two bytes each, the low one first.
    public static let p010le = PixelFormat(rawValue: "p010le")
    /// Three bytes a pixel: red, green, blue.
    public static let rgb24 = PixelFormat(rawValue: "rgb24")
    /// Four bytes a pixel: red, green, blue, alpha (straight).
    public static let rgba = PixelFormat(rawValue: "rgba")
    /// Four bytes a pixel: blue, green, red, alpha (straight); kCVPixelFormatType_32BGRA.
    public static let bgra = PixelFormat(rawValue: "bgra")
    /// One byte a pixel: brightness.
    public static let gray = PixelFormat(rawValue: "gray")

    public var description: String { rawValue }
}
