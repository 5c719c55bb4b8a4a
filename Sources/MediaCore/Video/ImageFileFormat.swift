/// A format of image files.
public enum ImageFileFormat: String, Hashable, Sendable, CaseIterable {
    /// PNG: 8 bits per sample, lossless, with alpha if the frame has it.
    case png
    /// JPEG: chroma at half resolution in both directions, without alpha.
    case jpeg
    /// WebP: lossy, with alpha if the frame has it, and with sides of up to 16,383 pixels.
    case webp

    /// Creates the format for a path extension: png, jpg, jpeg or webp, in upper or lower case. Returns nil for any
    /// other.
    public init?(pathExtension: String) {
        switch pathExtension.lowercased() {
        case "png": self = .png
        case "jpg", "jpeg": self = .jpeg
        case "webp": self = .webp
        default: return nil
        }
    }

    /// A Boolean value that indicates whether the format is lossy, so that a quality can be set.
    public var hasQuality: Bool { self != .png }

    /// The pixel formats that frames are converted to before they are rotated and bars are added: those of PNG. In a
    /// format with subsampled chroma, a bar would share samples with the frame that begins beside it, and the location
    /// of chroma that was reversed may have no name. JPEG and WebP store subsampled chroma, and accept every format.
    package var pixelFormats: [PixelFormat] { self == .png ? [.rgb24, .rgba, .gray] : [] }
}
