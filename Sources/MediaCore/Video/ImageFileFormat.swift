/// How a picture is stored in a file.
public enum ImageFileFormat: String, Hashable, Sendable, CaseIterable {
    /// PNG: 8 bits a sample, without loss; with alpha where the picture has it.
    case png
    /// JPEG: chroma halved both ways; what is transparent is lost.
    case jpeg
    /// WebP: with loss; with alpha where the picture has it. Sides of up to 16,383 pixels.
    case webp

    /// What the end of a file's name stands for: png, jpg, jpeg, webp, in any case. nil for all else.
    public init?(pathExtension: String) {
        switch pathExtension.lowercased() {
        case "png": self = .png
        case "jpg", "jpeg": self = .jpeg
        case "webp": self = .webp
        default: return nil
        }
    }

    /// Whether there is a choice between size and likeness.
    public var hasQuality: Bool { self != .png }
}
