import MediaCore

/// The processing of a frame before it is delivered to a sink.
enum FrameDisposition: Hashable {
    /// The frame is delivered unchanged, and no sample is copied.
    case asDecoded
    /// The samples are delivered unchanged with another format, without the orientation marks of the file.
    case relabelled(VideoFormat)
    /// The frame is converted.
    case converted(FrameConversionSpec)
    /// Nothing is shown, because the layer has an empty size.
    case hidden

    /// Decides what is done to frames of a format.
    ///
    /// - Parameters:
    ///   - format: The format of the decoded frames.
    ///   - fit: The layer's settings.
    ///   - accepted: The pixel formats that the sink accepts; empty if it accepts all.
    ///   - isUpright: Whether the sink requests upright frames if the layer has no size.
    ///   - nearest: Returns the pixel format that a converter produces for a layout.
    init(
        _ format: VideoFormat,
        _ fit: LayerOutput.Fit,
        accepted: [PixelFormat],
        isUpright: Bool,
        nearest: (PixelFormat, VideoGeometry) -> PixelFormat
    ) {
        if let size = fit.size, size.isEmpty {
            self = .hidden
            return
        }
        let acceptsSource = accepted.isEmpty || accepted.contains(format.pixelFormat)
        let isLaidOut = isUpright || fit.size != nil
        // A sink that accepts all formats, or this one, receives frames of this format.
        let preferred = accepted.preferred(for: format.pixelFormat) ?? format.pixelFormat
        let becomesRGB = !acceptsSource && preferred.isRGB
        let toSDR = fit.dynamicRange.requiresToneMapping(format, isForDisplay: isLaidOut || becomesRGB)
        guard isLaidOut else {
            self =
                acceptsSource && !toSDR
                ? .asDecoded : .converted(FrameConversionSpec(pixelFormat: preferred, toSDR: toSDR))
            return
        }
        let geometry = VideoGeometry(format.shape, gravity: fit.gravity, target: fit.size)
        if acceptsSource, geometry.isIdentity, !toSDR {
            self = .relabelled(format.laidOut(by: geometry))
            return
        }
        // A sink that accepts all formats receives the one that the converter can produce.
        let wanted = accepted.isEmpty ? nearest(format.pixelFormat, geometry) : preferred
        let background = geometry.bars.isEmpty ? .clear : fit.background
        self = .converted(
            FrameConversionSpec(pixelFormat: wanted, geometry: geometry, background: background, toSDR: toSDR)
        )
    }
}

/// The specification of a conversion. Equal specifications produce equal frames from equal frames.
struct FrameConversionSpec: Hashable {
    var pixelFormat: PixelFormat
    /// The layout of the result, or nil to keep size and shape.
    var geometry: VideoGeometry?
    var background = Color.clear
    /// Whether a high dynamic range is mapped to the standard one.
    var toSDR = false
}
