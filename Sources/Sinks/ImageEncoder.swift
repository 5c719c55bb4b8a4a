internal import FFmpeg
public import MediaCore

/// Makes image files of frames: PNG, JPEG or WebP.
///
/// A frame is stored as it lies in memory: not rotated, and its pixels count as square. An `ImageGenerator` that
/// applies the track's transform, and a layer that has a size, hand out frames that are upright and square.
///
/// Any thread. Pictures are encoded one after the other, on the thread of the caller, which waits: some 10 ms for
/// a JPEG of 1920x1080, 100 ms for a PNG.
public final class ImageEncoder: Sendable {
    /// What the files are.
    public let format: ImageFileFormat
    private let encoder: Locked<Box>

    /// The library's encoder is not safe for threads, so it is reached through the lock alone.
    private struct Box: @unchecked Sendable {
        let encoder: FFmpegImageEncoder
    }

    /// `quality`: 1 (small) to 100 (like the original), 90 where it is nil; PNG loses nothing and heeds none.
    public init(_ format: ImageFileFormat, quality: Int? = nil) {
        self.format = format
        encoder = Locked(Box(encoder: FFmpegImageEncoder(format, quality: quality)))
    }

    /// The bytes of a whole file. Throws `.conversionFailed` for a picture that cannot be stored so, and where
    /// FFmpeg was built without an encoder for the format.
    public func encode(_ frame: VideoFrame) throws(MediaError) -> [UInt8] {
        try encoder.withLock { box throws(MediaError) in try box.encoder.encode(frame) }
    }
}
