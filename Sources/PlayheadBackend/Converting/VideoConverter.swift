public import MediaCore

/// Scales and converts frames. Calls come one at a time.
public protocol VideoConverter: AnyObject, Sendable {
    /// `frame` scaled to `size` in `pixelFormat`. Time stamps, colour and marks are kept.
    func convert(_ frame: VideoFrame, to pixelFormat: PixelFormat, size: PixelSize) throws(MediaError)
        -> VideoFrame
    /// `frame` turned and mirrored as its format says, so that it needs no more of it. The pixel format may be
    /// another one where the frame's own cannot be turned.
    func upright(_ frame: VideoFrame) throws(MediaError) -> VideoFrame
    /// A frame of `geometry.target`: `geometry.source` of `frame`, scaled, mirrored and rotated as the geometry
    /// says, at `geometry.destination`, and `background` wherever that leaves the target free. The result is
    /// upright and has square pixels. `pixelFormat` nil: the frame's own, or the nearest one that it can be
    /// made in. Where the pixel format has no alpha, `background` is laid over black.
    func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry,
        background: Color
    ) throws(MediaError) -> VideoFrame
    /// As `convert(_:to:geometry:background:)`, where what is of high dynamic range is mapped to the standard one, BT.709, and
    /// the format says so. `geometry` nil: size, shape and marks are kept. Frames of the standard range are converted
    /// as ever; so are those with alpha.
    func convertToSDR(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry?,
        background: Color
    ) throws(MediaError) -> VideoFrame
    /// What `convert` makes of a frame in `pixelFormat` where no format is asked for. Any thread, at any time.
    func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat
}

extension VideoConverter {
    /// The very same.
    public func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat {
        pixelFormat
    }

    /// For a converter without one of its own: by scaling and turning the whole frame. Throws where a part
    /// would have to be cut out, or bars painted.
    public func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry,
        background: Color
    ) throws(MediaError) -> VideoFrame {
        guard geometry.bars.isEmpty, geometry.source.size == frame.size else {
            throw MediaError(.conversionFailed, "this converter cannot cut pictures, nor paint bars")
        }
        var scaled = try convert(frame, to: pixelFormat ?? frame.pixelFormat, size: geometry.scaledSize)
        scaled.format.rotation = geometry.rotation
        scaled.format.isMirrored = geometry.isMirrored
        var result = try upright(scaled)
        result.format = result.format.laidOut(by: geometry)
        return result
    }

    /// For a converter that maps nothing: the colours are kept, and the format says so.
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

    public func upright(_ frame: VideoFrame) throws(MediaError) -> VideoFrame {
        guard frame.format.rotation == .none, !frame.format.isMirrored else {
            throw MediaError(.conversionFailed, "this converter cannot turn pictures")
        }
        return frame
    }
}
