package import MediaCore
package import PlayheadBackend

/// A request for one frame, with its output settings. It is a copy: later changes do not affect it.
package struct ImageRequest: Hashable, Sendable {
    /// The requested item time, clamped to the duration of the item.
    package var time: MediaTime
    /// The tolerances: how much earlier and later the frame may be. If both are zero, it is the frame due at
    /// `time`.
    package var toleranceBefore: MediaTime
    package var toleranceAfter: MediaTime
    /// The size into which the frame is fitted without enlarging it, or nil to keep its size. A side that is
    /// not positive is not limited.
    package var maximumSize: PixelSize?
    /// The exact size of the upright result, filled according to `gravity`. If nil, `maximumSize` applies.
    package var targetSize: PixelSize?
    package var gravity: VideoGravity
    /// The color of the area of `targetSize` that the frame does not cover.
    package var background: Color
    /// The pixel formats of the result, the preferred one first. As in a layer, a frame in one of them keeps its format,
    /// and other frames with alpha get the first one with alpha. If empty, it is the frame's own, or the nearest one
    /// that can be produced.
    package var pixelFormats: [PixelFormat]
    /// Whether the result is rotated and mirrored for display, with square pixels.
    package var isUpright: Bool
    /// The deinterlacing of interlaced frames, each without its neighbors.
    package var deinterlacing: Deinterlacing
    package var dynamicRange: DynamicRangePolicy
    /// The subtitles to draw, or nil for none.
    package var subtitles: ImageSubtitles?
    /// The value of `ImageRequestQueue.generation` when the request was made.
    package var generation: UInt64
    /// The sync point from which the frame is decoded, if it is known from a search. If it is that of the request
    /// before, decoding continues without a seek.
    var syncPoint: MediaTime?

    package init(
        time: MediaTime,
        toleranceBefore: MediaTime = .zero,
        toleranceAfter: MediaTime = .zero,
        maximumSize: PixelSize? = nil,
        targetSize: PixelSize? = nil,
        gravity: VideoGravity = .resizeAspect,
        background: Color = .clear,
        pixelFormats: [PixelFormat] = [],
        isUpright: Bool = false,
        deinterlacing: Deinterlacing = .none,
        dynamicRange: DynamicRangePolicy = .matchSource,
        subtitles: ImageSubtitles? = nil,
        generation: UInt64
    ) {
        self.time = time
        self.toleranceBefore = Self.clamped(toleranceBefore)
        self.toleranceAfter = Self.clamped(toleranceAfter)
        self.maximumSize = maximumSize
        self.targetSize = targetSize
        self.gravity = gravity
        self.background = background
        self.pixelFormats = pixelFormats
        self.isUpright = isUpright
        self.deinterlacing = deinterlacing
        self.dynamicRange = dynamicRange
        self.subtitles = subtitles
        self.generation = generation
    }

    /// Invalid and negative tolerances count as zero.
    private static func clamped(_ tolerance: MediaTime) -> MediaTime {
        tolerance.isNumeric || tolerance == .positiveInfinity ? max(.zero, tolerance) : .zero
    }
}

extension ImageRequest {
    /// Returns the frame with the requested size, format and orientation.
    ///
    /// - Parameters:
    ///   - frame: The frame, as decoded.
    ///   - converter: The converter that performs the conversion.
    /// - Returns: The frame as requested.
    /// - Throws: `MediaError` with the code `.conversionFailed` if the conversion is not supported.
    package func shape(
        _ frame: VideoFrame,
        with converter: any VideoConverter
    ) throws(MediaError) -> VideoFrame {
        guard !frame.size.isEmpty else { return frame }
        if let targetSize {
            let geometry = VideoGeometry(frame.format.shape, gravity: gravity, target: targetSize)
            return try make(frame, geometry, with: converter)
        }
        var shaped = frame
        if isUpright || maximumSize != nil {
            shaped = try fit(frame, with: converter)
        } else if toSDR(frame) {
            return try make(frame, nil, with: converter)
        }
        guard let pixelFormat = pixelFormats.preferred(for: frame.pixelFormat) else { return shaped }
        return try converter.convert(shaped, to: pixelFormat, size: shaped.size)
    }

    /// Returns the layout of the video in the shaped image.
    func geometry(of frame: VideoFrame, shaped: VideoFrame) -> VideoGeometry {
        if let targetSize {
            return VideoGeometry(frame.format.shape, gravity: gravity, target: targetSize)
        }
        return VideoGeometry(VideoShape(size: frame.size), gravity: .resize, target: shaped.size)
    }

    /// Returns the item time whose subtitles an image shows: the requested time if the frame is due then.
    func subtitleTime(of frame: VideoFrame) -> MediaTime {
        let start = frame.presentationTime
        let isDue = frame.duration.isNumeric && start <= time && time < start + frame.duration
        return isDue ? time : start
    }

    private func toSDR(_ frame: VideoFrame) -> Bool {
        dynamicRange.requiresToneMapping(frame.format, isForDisplay: true)
    }

    /// Converts the frame. If `geometry` is nil, size and shape are kept, and only the dynamic range changes.
    private func make(
        _ frame: VideoFrame,
        _ geometry: VideoGeometry?,
        with converter: any VideoConverter
    ) throws(MediaError) -> VideoFrame {
        let pixelFormat = pixelFormats.preferred(for: frame.pixelFormat)
        if let geometry, !toSDR(frame) {
            return try converter.convert(frame, to: pixelFormat, geometry: geometry, background: background)
        }
        return try converter.convertToSDR(frame, to: pixelFormat, geometry: geometry, background: background)
    }

    private func fit(_ frame: VideoFrame, with converter: any VideoConverter) throws(MediaError) -> VideoFrame
    {
        var shape = frame.format.shape
        if !isUpright { (shape.rotation, shape.isMirrored) = (.none, false) }
        let geometry = VideoGeometry(shape, inside: maximumSize)
        var shaped = frame
        if geometry.isIdentity, !toSDR(frame) {
            shaped.format = frame.format.laidOut(by: geometry)
        } else {
            shaped = try make(frame, geometry, with: converter)
        }
        if !isUpright {
            shaped.format.rotation = frame.format.rotation
            shaped.format.isMirrored = frame.format.isMirrored
        }
        return shaped
    }
}
