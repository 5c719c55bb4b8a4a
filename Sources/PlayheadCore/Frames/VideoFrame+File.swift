public import FoundationEssentials
public import MediaCore
import Sinks

extension VideoFrame {
    /// Writes the frame to an image file, as a viewer sees it: upright, with square pixels, in standard dynamic range.
    ///
    /// The extension of the path selects the format: png, jpg, jpeg or webp. An existing file is replaced atomically: it
    /// keeps its content until the new file is complete, and if the call fails. The method encodes and writes on the
    /// calling thread; see `ImageEncoder`.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - quality: The quality of JPEG and WebP from 1 (smallest file) to 100 (closest to the original).
    /// - Throws: `PlaybackError` with the code `.invalidArgument` if the URL is not one of a file with one of these
    ///   extensions; `.notFound`, `.permissionDenied`, `.diskFull` or `.io` if the file cannot be written;
    ///   `.conversionFailed` if the frame cannot be encoded.
    public func write(to url: URL, quality: Int = 90) throws(PlaybackError) {
        guard url.isFileURL, let format = ImageFileFormat(pathExtension: url.pathExtension) else {
            throw PlaybackError(
                code: .invalidArgument,
                message: "\(url.lastPathComponent): expected a file that ends in .png, .jpg, .jpeg or .webp",
                url: url
            )
        }
        let frame = try displayed(in: format.pixelFormats)
        try ImageEncoder(format, quality: quality).write(frame, to: url.path)
    }
}
