/// The layout of a frame's samples in memory, by FFmpeg's name, such as "yuv420p", "nv12" or "rgba".
public struct PixelFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Planar YUV, 8 bits, chroma at half resolution in both directions: the format of most video. The range is
    /// limited unless the frame declares otherwise.
    public static let yuv420p = PixelFormat(rawValue: "yuv420p")
    /// The layout of `yuv420p`, in full range, as in JPEG files.
    public static let yuvj420p = PixelFormat(rawValue: "yuvj420p")
    /// Planar YUV, 8 bits, chroma at half resolution horizontally.
    public static let yuv422p = PixelFormat(rawValue: "yuv422p")
    /// Planar YUV, 8 bits, chroma at full resolution.
    public static let yuv444p = PixelFormat(rawValue: "yuv444p")
    /// Planar YUV, 10 bits in two little-endian bytes, chroma at half resolution in both directions.
    public static let yuv420p10le = PixelFormat(rawValue: "yuv420p10le")
    /// YUV, 8 bits, chroma at half resolution in both directions: a plane of Y, and a plane of alternating U and V.
    public static let nv12 = PixelFormat(rawValue: "nv12")
    /// The layout of `nv12` with 10 bits, in the upper bits of two little-endian bytes.
    public static let p010le = PixelFormat(rawValue: "p010le")
    /// Three bytes per pixel: red, green, blue.
    public static let rgb24 = PixelFormat(rawValue: "rgb24")
    /// Four bytes per pixel: red, green, blue, straight alpha.
    public static let rgba = PixelFormat(rawValue: "rgba")
    /// Four bytes per pixel: blue, green, red, straight alpha (kCVPixelFormatType_32BGRA).
    public static let bgra = PixelFormat(rawValue: "bgra")
    /// Three 32-bit floating-point numbers per pixel in host byte order: red, green, blue, from 0 (black) to 1.
    ///
    /// The rows of a packed frame are an array of the shape (height, width, 3). FFmpeg 5.1 has no such format, so it
    /// is the only one that libav does not read; frames are converted from and to it.
    public static let rgbf32 = PixelFormat(rawValue: "rgbf32")
    /// One byte per pixel: luma.
    public static let gray = PixelFormat(rawValue: "gray")

    public var description: String { rawValue }
}
