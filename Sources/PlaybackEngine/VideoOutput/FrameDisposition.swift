import MediaCore

/// What has to be done to a frame before a sink gets it.
enum FrameDisposition: Hashable {
    /// Nothing: it is handed on, and not a sample is copied.
    case asDecoded
    /// Its samples are as they should be; the marks of a shape that it had in the file go.
    case relabelled(VideoFormat)
    case converted(FrameConversionSpec)
    /// The layer has no extent, so nothing is shown.
    case hidden

    /// `accepted`: the sink's pixel formats. `isUpright`: how it wants frames where the layer has no size. `nearest`:
    /// the format that frames can be made in.
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
        let becomesRGB = !acceptsSource && accepted[0].isRGB
        let toSDR = fit.dynamicRange.requiresToneMapping(format, isForDisplay: isLaidOut || becomesRGB)
        guard isLaidOut else {
            let wanted = acceptsSource ? format.pixelFormat : accepted[0]
            self =
                acceptsSource && !toSDR
                ? .asDecoded : .converted(FrameConversionSpec(pixelFormat: wanted, toSDR: toSDR))
            return
        }
        let geometry = VideoGeometry(format.shape, gravity: fit.gravity, target: fit.size)
        if acceptsSource, geometry.isIdentity, !toSDR {
            self = .relabelled(format.laidOut(by: geometry))
            return
        }
        // A sink that takes everything gets what the frame can be made in.
        let wanted =
            accepted.isEmpty
            ? nearest(format.pixelFormat, geometry) : acceptsSource ? format.pixelFormat : accepted[0]
        let background = geometry.bars.isEmpty ? .clear : fit.background
        self = .converted(
            FrameConversionSpec(pixelFormat: wanted, geometry: geometry, background: background, toSDR: toSDR)
        )
    }
}

/// How a frame is to be made: from equal frames, equal wants make equal ones.
struct FrameConversionSpec: Hashable {
    var pixelFormat: PixelFormat
    /// nil: its size and shape are kept.
    var geometry: VideoGeometry?
    var background = Color.clear
    /// From high dynamic range to the standard one.
    var toSDR = false
}
