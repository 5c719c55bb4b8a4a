package import MediaCore
import PlayheadBackend

/// One frame that is asked for, and how it is wanted. A copy: what changes later does not touch it.
package struct ImageRequest: Hashable, Sendable {
    /// Item time; held within the item.
    package var time: MediaTime
    /// How much earlier, and later, the frame may be. Both zero: the frame due at `time`.
    package var toleranceBefore: MediaTime
    package var toleranceAfter: MediaTime
    /// Fitted inside, never made larger; nil: as it is. A side that is not positive is no bound.
    package var maximumSize: PixelSize?
    /// Exactly this size, upright, laid in by `gravity`; nil: `maximumSize` decides.
    package var targetSize: PixelSize?
    package var gravity: VideoGravity
    /// nil: the frame's own, or the nearest one that can be written.
    package var pixelFormat: PixelFormat?
    /// Turned, mirrored and with square pixels, as a viewer sees it.
    package var isUpright: Bool
    /// Interlaced frames are made whole, each of itself alone.
    package var deinterlacing: Deinterlacing
    package var dynamicRange: DynamicRangePolicy
    /// Of `ImageRequestQueue.generation`.
    package var generation: UInt64

    package init(
        time: MediaTime,
        toleranceBefore: MediaTime = .zero,
        toleranceAfter: MediaTime = .zero,
        maximumSize: PixelSize? = nil,
        targetSize: PixelSize? = nil,
        gravity: VideoGravity = .resizeAspect,
        pixelFormat: PixelFormat? = nil,
        isUpright: Bool = false,
        deinterlacing: Deinterlacing = .none,
        dynamicRange: DynamicRangePolicy = .matchSource,
        generation: UInt64
    ) {
        self.time = time
        self.toleranceBefore = Self.clamped(toleranceBefore)
        self.toleranceAfter = Self.clamped(toleranceAfter)
        self.maximumSize = maximumSize
        self.targetSize = targetSize
        self.gravity = gravity
        self.pixelFormat = pixelFormat
        self.isUpright = isUpright
        self.deinterlacing = deinterlacing
        self.dynamicRange = dynamicRange
        self.generation = generation
    }

    /// What is no length counts as none.
    private static func clamped(_ tolerance: MediaTime) -> MediaTime {
        tolerance.isNumeric || tolerance == .positiveInfinity ? max(.zero, tolerance) : .zero
    }
}

extension ImageRequest {
    /// The frame as it was asked for.
    func shape(_ frame: VideoFrame, with converter: any VideoConverter) throws(MediaError) -> VideoFrame {
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
        guard let pixelFormat else { return shaped }
        return try converter.convert(shaped, to: pixelFormat, size: shaped.size)
    }

    private func toSDR(_ frame: VideoFrame) -> Bool {
        dynamicRange.requiresToneMapping(frame.format, isForDisplay: true)
    }

    /// `geometry` nil: size and shape are kept, and only the dynamic range is another.
    private func make(
        _ frame: VideoFrame,
        _ geometry: VideoGeometry?,
        with converter: any VideoConverter
    ) throws(MediaError) -> VideoFrame {
        if let geometry, !toSDR(frame) {
            return try converter.convert(frame, to: pixelFormat, geometry: geometry, background: .clear)
        }
        return try converter.convertToSDR(frame, to: pixelFormat, geometry: geometry, background: .clear)
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
