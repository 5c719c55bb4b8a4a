package import MediaCore
import PlayheadBackend

/// The size and pixel format in which frames are read. Frames are always upright.
package struct FrameShape: Hashable, Sendable {
    /// The exact size of the upright result with square pixels, or nil to keep the size and the pixel aspect ratio.
    package var size: PixelSize?
    /// The way in which a frame is fitted into `size`. What it does not cover is transparent, or black without alpha.
    package var gravity: VideoGravity
    /// The pixel format of the result, or nil for the frame's own, or the nearest one that can be produced.
    package var pixelFormat: PixelFormat?

    package init(size: PixelSize? = nil, gravity: VideoGravity = .resize, pixelFormat: PixelFormat? = nil) {
        self.size = size
        self.gravity = gravity
        self.pixelFormat = pixelFormat
    }

    /// Whether frames are scaled or converted, so that more than one thread has work.
    package var isConversion: Bool { size != nil || pixelFormat != nil }

    /// The approximate number of bytes of a result, before the first one is known.
    ///
    /// - Parameter natural: The size of the video.
    func estimatedByteCount(natural: PixelSize) -> Int {
        let size = size ?? natural
        // Decoded video has 1.5 bytes per pixel with 8 bits and 3 with more.
        let name = pixelFormat?.rawValue
        let bytesPerPixel: Double =
            switch name {
            case nil: 2
            case PixelFormat.rgbf32.rawValue: 12
            case let name? where name.contains("64") || name.contains("48"): 8
            default: 4
            }
        let bytes = Double(max(1, size.width)) * Double(max(1, size.height)) * bytesPerPixel
        return Int(clamping: Int64(min(bytes, 1e18)))
    }

    /// Returns the frame in this shape. HDR frames that are scaled or converted to RGB are tone mapped to BT.709.
    ///
    /// - Throws: `MediaError` with the code `.conversionFailed` if the conversion is not supported.
    func apply(to frame: VideoFrame, with converter: any VideoConverter) throws(MediaError) -> VideoFrame {
        guard !frame.size.isEmpty else { return frame }
        let isForDisplay = size != nil || pixelFormat?.isRGB ?? false
        let isMapped = DynamicRangePolicy.auto.requiresToneMapping(frame.format, isForDisplay: isForDisplay)
        if let size {
            let geometry = VideoGeometry(frame.format.shape, gravity: gravity, target: size)
            if isMapped {
                return try converter.convertToSDR(
                    frame,
                    to: pixelFormat,
                    geometry: geometry,
                    background: .clear
                )
            }
            if geometry.isIdentity, pixelFormat ?? frame.pixelFormat == frame.pixelFormat {
                var result = frame
                result.format = frame.format.laidOut(by: geometry)
                return result
            }
            return try converter.convert(frame, to: pixelFormat, geometry: geometry, background: .clear)
        }
        guard frame.format.rotation == .none, !frame.format.isMirrored else {
            return try rotated(frame, isMapped: isMapped, with: converter)
        }
        if isMapped {
            return try converter.convertToSDR(frame, to: pixelFormat, geometry: nil, background: .clear)
        }
        guard let pixelFormat, pixelFormat != frame.pixelFormat else { return frame }
        return try converter.convert(frame, to: pixelFormat, size: frame.size)
    }

    /// Returns the frame upright, in its own size. A conversion is made in the same step, because the location of chroma
    /// may have no name between the two.
    private func rotated(
        _ frame: VideoFrame,
        isMapped: Bool,
        with converter: any VideoConverter
    ) throws(MediaError) -> VideoFrame {
        guard isMapped || pixelFormat != nil else { return try converter.upright(frame) }
        var shape = frame.format.shape
        shape.pixelAspectRatio = Rational(1, 1)
        let geometry = VideoGeometry(shape, gravity: .resize, target: nil)
        var result =
            isMapped
            ? try converter.convertToSDR(frame, to: pixelFormat, geometry: geometry, background: .clear)
            : try converter.convert(frame, to: pixelFormat, geometry: geometry, background: .clear)
        result.format.pixelAspectRatio = frame.format.shape.upright.pixelAspectRatio
        return result
    }
}
