package import MediaCore
import PlaybackEngine
import PlayheadBackend

extension Player.Configuration {
    /// Returns a frame of the application as an image, like those of `ImageGenerator`. It may take some milliseconds.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - size: The exact size of the image, or nil to keep that of the frame.
    ///   - gravity: The way in which the frame is fitted into `size`.
    ///   - background: The color of the part of `size` that the frame does not cover.
    ///   - pixelFormats: The pixel formats, the preferred one first; empty for that of the frame as far as the scaling
    ///     allows.
    ///   - isUpright: Whether the image is rotated and mirrored as the frame declares.
    /// - Returns: The image, of the standard dynamic range.
    /// - Throws: `MediaError` with the code `.conversionFailed` if the backend does not support the conversion.
    package func image(
        of frame: VideoFrame,
        size: PixelSize?,
        gravity: VideoGravity,
        background: Color,
        pixelFormats: [PixelFormat],
        isUpright: Bool
    ) throws(MediaError) -> VideoFrame {
        let request = ImageRequest(
            time: .zero,
            targetSize: size,
            gravity: gravity,
            background: background,
            pixelFormats: pixelFormats,
            isUpright: isUpright,
            dynamicRange: .forceSDR,
            generation: 0
        )
        return try request.shape(frame, with: backend.makeVideoConverter())
    }
}
