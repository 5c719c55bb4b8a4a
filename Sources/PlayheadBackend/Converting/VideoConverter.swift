public import MediaCore

/// Scales and converts video frames. Calls are made one at a time, on any thread, except for
/// `nearestFormat(to:geometry:)`, which may be called at any time.
public protocol VideoConverter: AnyObject, Sendable {
    /// Returns a frame scaled to a size and converted to a pixel format.
    ///
    /// Timestamps, colors and orientation marks are kept.
    ///
    /// - Parameters:
    ///   - frame: The frame to convert.
    ///   - pixelFormat: The pixel format of the result.
    ///   - size: The size of the result in pixels.
    /// - Returns: The converted frame.
    /// - Throws: `MediaError` with the code `.conversionFailed` if the conversion is not supported.
    func convert(_ frame: VideoFrame, to pixelFormat: PixelFormat, size: PixelSize) throws(MediaError)
        -> VideoFrame
    /// Returns a frame that has been rotated and mirrored as its format specifies, so that the result needs no
    /// further transform.
    ///
    /// - Parameter frame: The frame to transform.
    /// - Returns: The upright frame. Its pixel format differs from that of `frame` if frames in the original
    ///   format cannot be rotated.
    /// - Throws: `MediaError` with the code `.conversionFailed` if the frame cannot be rotated or mirrored.
    func upright(_ frame: VideoFrame) throws(MediaError) -> VideoFrame
    /// Returns a frame of the size `geometry.target`, upright and with square pixels.
    ///
    /// The region `geometry.source` of `frame` is scaled, mirrored and rotated, and drawn at
    /// `geometry.destination`. `background` fills the rest of the target. If the pixel format has no alpha
    /// channel, `background` is composed over black.
    ///
    /// - Parameters:
    ///   - frame: The frame to convert.
    ///   - pixelFormat: The pixel format of the result. If nil, it is the frame's own format, or the nearest
    ///     one that the converter can produce.
    ///   - geometry: The layout of the result.
    ///   - background: The color of the area that the frame does not cover.
    /// - Returns: The converted frame.
    /// - Throws: `MediaError` with the code `.conversionFailed` if the conversion is not supported.
    func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry,
        background: Color
    ) throws(MediaError) -> VideoFrame
    /// Returns a frame that has been laid out as by `convert(_:to:geometry:background:)` and tone mapped to the
    /// standard dynamic range (ITU-R BT.709) if it has a high dynamic range.
    ///
    /// The format of the result states BT.709. Frames of the standard range and frames with alpha are converted
    /// without tone mapping.
    ///
    /// - Parameters:
    ///   - frame: The frame to convert.
    ///   - pixelFormat: The pixel format of the result. If nil, it is the frame's own format, or the nearest
    ///     one that the converter can produce.
    ///   - geometry: The layout of the result. If nil, size, shape and orientation marks are kept.
    ///   - background: The color of the area that the frame does not cover.
    /// - Returns: The converted frame.
    /// - Throws: `MediaError` with the code `.conversionFailed` if the conversion is not supported.
    func convertToSDR(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry?,
        background: Color
    ) throws(MediaError) -> VideoFrame
    /// Returns the pixel format that `convert(_:to:geometry:background:)` produces if no format is requested.
    /// It may be called on any thread at any time.
    ///
    /// - Parameters:
    ///   - pixelFormat: The pixel format of the frame.
    ///   - geometry: The layout of the result.
    func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat
}

extension VideoConverter {
    /// Returns `pixelFormat`.
    public func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat {
        pixelFormat
    }

    /// Converts by scaling and rotating the whole frame, for a converter without an implementation of its own.
    ///
    /// - Throws: `MediaError` with the code `.conversionFailed` if the frame would have to be cropped or
    ///   padded.
    public func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry,
        background: Color
    ) throws(MediaError) -> VideoFrame {
        guard geometry.bars.isEmpty, geometry.source.size == frame.size else {
            throw MediaError(.conversionFailed, "this converter cannot crop or pad frames")
        }
        var scaled = try convert(frame, to: pixelFormat ?? frame.pixelFormat, size: geometry.scaledSize)
        scaled.format.rotation = geometry.rotation
        scaled.format.isMirrored = geometry.isMirrored
        var result = try upright(scaled)
        result.format = result.format.laidOut(by: geometry)
        return result
    }

    /// Converts without tone mapping, for a converter without an implementation of its own. The colors and
    /// their description are kept.
    ///
    /// - Throws: `MediaError` if the conversion fails.
    public func convertToSDR(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry?,
        background: Color
    ) throws(MediaError) -> VideoFrame {
        guard let geometry else {
            return try convert(frame, to: pixelFormat ?? frame.pixelFormat, size: frame.size)
        }
        return try convert(frame, to: pixelFormat, geometry: geometry, background: background)
    }

    /// Returns the frame itself if it needs no transform.
    ///
    /// - Throws: `MediaError` with the code `.conversionFailed` if the frame would have to be rotated or
    ///   mirrored.
    public func upright(_ frame: VideoFrame) throws(MediaError) -> VideoFrame {
        guard frame.format.rotation == .none, !frame.format.isMirrored else {
            throw MediaError(.conversionFailed, "this converter cannot rotate or mirror frames")
        }
        return frame
    }
}
