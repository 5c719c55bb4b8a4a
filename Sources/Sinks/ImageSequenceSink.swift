public import MediaCore

/// A sink that writes each frame to an image file: PNG, JPEG or WebP, upright and with square pixels.
///
/// If the path is a pattern such as "frames/%06d.png", files are numbered from 1. Otherwise each frame replaces the
/// previous one, so the file contains the newest frame. Each file is written beside its final path and renamed when
/// it is complete.
public final class ImageSequenceSink: VideoSink, FileSink {
    private struct State: Sendable {
        var count = 0
        var isFinished = false
    }

    /// The path of the images.
    public let path: NumberedPath
    private let encoder: ImageEncoder
    private let state = Locked(State())
    private let failure = Locked<PlaybackError?>(nil)

    /// Creates a sink. No file is created before the first frame.
    ///
    /// - Parameters:
    ///   - path: The path or pattern. Its extension selects the format.
    ///   - quality: The quality from 1 to 100; see `ImageEncoder`.
    /// - Throws: `PlaybackError` with the code `.unsupportedFormat` if the path has no extension of an image format, or
    ///   another one if it cannot be written; see `ByteOutput`.
    public init(path: NumberedPath, quality: Int? = nil) throws(PlaybackError) {
        guard let format = path.imageFormat else {
            throw PlaybackError(
                code: .unsupportedFormat,
                message: "\(path): expected a name that ends in .png, .jpg, .jpeg or .webp"
            )
        }
        self.path = path
        encoder = ImageEncoder(format, quality: quality)
        _ = try ByteOutput(replacing: path.path(1))
    }

    public var error: PlaybackError? { failure.withLock { $0 } }
    /// The pixel formats that the sink accepts: those of PNG, so that bars are added to RGB. In a format with
    /// subsampled chroma, a bar would share samples with the frame that begins beside it. JPEG and WebP store
    /// subsampled chroma, and accept every format.
    public var acceptedPixelFormats: [PixelFormat] { encoder.format.pixelFormats }
    public var appliesPreferredTrackTransform: Bool { true }
    /// The policy for late frames: a sequence of files is complete, while a single file contains the newest frame.
    public var lateFramePolicy: LateFramePolicy { path.isPattern ? .holdBack : .newestOnly }

    /// Does nothing: each image has its own format.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: VideoFormat) throws(PlaybackError) {}

    /// Encodes a frame and writes its file.
    ///
    /// - Throws: `PlaybackError` if the frame cannot be encoded or the file cannot be written.
    public func present(_ frame: VideoFrame) throws(PlaybackError) {
        let number = try state.withLock { state throws(PlaybackError) in
            guard !state.isFinished else {
                throw PlaybackError(code: .operationNotAllowed, message: "\(path): the sink is finished")
            }
            state.count += 1
            return state.count
        }
        do throws(PlaybackError) {
            try encoder.write(frame, to: path.path(number))
        } catch {
            failure.withLock { if $0 == nil { $0 = error } }
            throw error
        }
    }

    public func finish() { state.withLock { $0.isFinished = true } }
}
