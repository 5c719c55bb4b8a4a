internal import FFmpeg
internal import FoundationEssentials
public import MediaCore

/// An encoder of image files: PNG, JPEG or WebP.
///
/// A frame is stored as it is in memory: it is not rotated, and its pixels count as square. An `ImageGenerator` that
/// applies the track's transform, and a layer with a size, deliver frames that are upright and have square pixels.
///
/// May be used on any thread. Images are encoded one after the other on the calling thread, which waits: about 10 ms
/// for a JPEG of 1920x1080, and 100 ms for a PNG.
public final class ImageEncoder: Sendable {
    /// The format of the files.
    public let format: ImageFileFormat
    private let encoder: Locked<Box>

    /// The library's encoder is not thread-safe, so it is used under the lock only.
    private struct Box: @unchecked Sendable {
        let encoder: FFmpegImageEncoder
    }

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - format: The format of the files.
    ///   - quality: The quality from 1 (smallest file) to 100 (closest to the original); 90 if nil. PNG is lossless
    ///     and ignores it.
    public init(_ format: ImageFileFormat, quality: Int? = nil) {
        self.format = format
        encoder = Locked(Box(encoder: FFmpegImageEncoder(format, quality: quality)))
    }

    /// Encodes a frame.
    ///
    /// - Parameter frame: The frame to encode.
    /// - Returns: The bytes of a complete image file.
    /// - Throws: `PlaybackError` with the code `.conversionFailed` if the frame cannot be stored in this format, or
    ///   FFmpeg was built without an encoder for it.
    public func encode(_ frame: VideoFrame) throws(PlaybackError) -> [UInt8] {
        try encode(frame, for: nil)
    }

    private func encode(_ frame: VideoFrame, for url: URL?) throws(PlaybackError) -> [UInt8] {
        do throws(MediaError) {
            return try encoder.withLock { box throws(MediaError) in try box.encoder.encode(frame) }
        } catch {
            throw PlaybackError(error, url: url)
        }
    }

    /// Encodes a frame and writes the image to a file. An existing file is replaced atomically, and keeps its content
    /// if the call fails; see `ByteOutput.init(replacing:)`.
    ///
    /// - Parameters:
    ///   - frame: The frame to encode.
    ///   - path: The path of the file.
    /// - Throws: `PlaybackError` if the frame cannot be encoded or the file cannot be written.
    package func write(_ frame: VideoFrame, to path: String) throws(PlaybackError) {
        _ = try ByteOutput.write(replacing: path) { () throws(PlaybackError) in
            try encode(frame, for: URL(sinkPath: path))
        }
    }
}
