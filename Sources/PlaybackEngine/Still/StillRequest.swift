package import MediaCore

/// One picture that is asked for, and how it is wanted. A copy: what changes later does not touch it.
package struct StillRequest: Hashable, Sendable {
    /// Item time; held within the item.
    package var time: MediaTime
    /// How much earlier, and later, the picture may be. Both zero: the picture due at `time`.
    package var toleranceBefore: MediaTime
    package var toleranceAfter: MediaTime
    /// Fitted inside, never made larger; nil: as it is. A side that is not positive is no bound.
    package var maximumSize: PixelSize?
    /// Turned, mirrored and with square pixels, as a viewer sees it.
    package var isUpright: Bool
    /// Of `StillQueue.generation`.
    package var generation: UInt64

    package init(
        time: MediaTime,
        toleranceBefore: MediaTime = .zero,
        toleranceAfter: MediaTime = .zero,
        maximumSize: PixelSize? = nil,
        isUpright: Bool = false,
        generation: UInt64
    ) {
        self.time = time
        self.toleranceBefore = Self.held(toleranceBefore)
        self.toleranceAfter = Self.held(toleranceAfter)
        self.maximumSize = maximumSize
        self.isUpright = isUpright
        self.generation = generation
    }

    /// What is no length counts as none.
    private static func held(_ tolerance: MediaTime) -> MediaTime {
        tolerance.isNumeric || tolerance == .positiveInfinity ? max(.zero, tolerance) : .zero
    }
}

extension StillRequest {
    /// The picture in the shape that was asked for, converted at most twice: scaled, then turned.
    func shape(_ frame: VideoFrame, with converter: any VideoConverter) throws(MediaError) -> VideoFrame {
        guard isUpright || maximumSize != nil, !frame.size.isEmpty else { return frame }
        var format = frame.format
        if !isUpright { format.rotation = .none }
        var size = Self.fit(format.presentationSize, inside: maximumSize)
        if format.rotation.swapsAxes { size = PixelSize(width: size.height, height: size.width) }
        var shaped = frame
        if size != frame.size {
            do throws(MediaError) {
                shaped = try converter.convert(frame, to: frame.pixelFormat, size: size)
            } catch {
                // Some formats can be read and not be written, as palettes.
                guard error.code == .conversionFailed else { throw error }
                shaped = try converter.convert(frame, to: .rgba, size: size)
            }
        }
        shaped.format.pixelAspectRatio = Rational(1, 1)
        return isUpright ? try converter.upright(shaped) : shaped
    }

    static func fit(_ size: PixelSize, inside bounds: PixelSize?) -> PixelSize {
        guard let bounds, !size.isEmpty else { return size }
        let width = bounds.width > 0 ? bounds.width : size.width
        let height = bounds.height > 0 ? bounds.height : size.height
        guard size.width > width || size.height > height else { return size }
        let fitted = VideoGravity.resizeAspect.fittedSize(
            of: size,
            in: PixelSize(width: width, height: height)
        )
        return PixelSize(width: min(fitted.width, width), height: min(fitted.height, height))
    }
}
