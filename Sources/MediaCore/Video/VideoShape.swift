/// The size and orientation in which a coded picture is displayed.
public struct VideoShape: Hashable, Sendable {
    /// The size of the coded picture in pixels, before rotation and pixel aspect ratio are applied.
    public var size: PixelSize
    /// The width of a pixel divided by its height; 1:1 if pixels are square or it is unknown.
    public var pixelAspectRatio: Rational
    /// The part of the coded picture that is meant to be displayed; nil for all of it.
    public var cleanAperture: PixelRect?
    /// The rotation that turns the coded picture upright.
    public var rotation: Rotation
    /// A Boolean value that indicates whether the picture is mirrored left to right before `rotation` is applied.
    public var isMirrored: Bool

    /// Creates a shape: by default upright, complete and with square pixels.
    ///
    /// - Parameters:
    ///   - size: The size of the coded picture in pixels.
    ///   - pixelAspectRatio: The width of a pixel divided by its height.
    ///   - cleanAperture: The part that is meant to be displayed; nil for all of it.
    ///   - rotation: The rotation that turns the picture upright.
    ///   - isMirrored: Whether the picture is mirrored before it is rotated.
    public init(
        size: PixelSize,
        pixelAspectRatio: Rational = Rational(1, 1),
        cleanAperture: PixelRect? = nil,
        rotation: Rotation = .none,
        isMirrored: Bool = false
    ) {
        self.size = size
        self.pixelAspectRatio = pixelAspectRatio
        self.cleanAperture = cleanAperture
        self.rotation = rotation
        self.isMirrored = isMirrored
    }

    /// The size at which a viewer sees the picture: after applying the pixel aspect ratio and then the rotation. It
    /// is rounded once, halves up, to at least 1 pixel. `.zero` for an empty picture.
    public var presentationSize: PixelSize {
        guard let ratio = ExactShape(self) else { return .zero }
        let size = ratio.squarePixelSize
        return rotation.swapsAxes ? PixelSize(width: size.height, height: size.width) : size
    }

    /// Returns the shape of the same picture in another number of pixels. The pixel aspect ratio changes, so that it
    /// is displayed in the same shape. The clean aperture is dropped.
    ///
    /// - Parameter other: The new size of the coded picture.
    /// - Returns: The new shape.
    public func scaled(to other: PixelSize) -> VideoShape {
        var result = self
        result.cleanAperture = nil
        result.size = other
        guard other != size, !other.isEmpty, let exact = ExactShape(self), pixelAspectRatio.isPositive else {
            return result
        }
        let whole = ExactShape.clamped(size)
        let target = ExactShape.clamped(other)
        result.pixelAspectRatio = Rational(
            approximating: exact.pixelWidth * UInt128(whole.width) * UInt128(target.height),
            over: exact.pixelHeight * UInt128(whole.height) * UInt128(target.width)
        )
        return result
    }

    /// The shape of the whole picture after rotation and mirroring have been applied.
    public var upright: VideoShape {
        var result = VideoShape(size: size, pixelAspectRatio: pixelAspectRatio)
        if rotation.swapsAxes {
            result.size = PixelSize(width: size.height, height: size.width)
            result.pixelAspectRatio = Rational(pixelAspectRatio.denominator, pixelAspectRatio.numerator)
        }
        return result
    }
}

extension VideoFormat {
    /// The part of the format that determines the position of a frame in a layer.
    public var shape: VideoShape {
        VideoShape(
            size: size,
            pixelAspectRatio: pixelAspectRatio,
            rotation: rotation,
            isMirrored: isMirrored
        )
    }

    /// Returns the format of a frame after it has been laid out: upright, with square pixels, in the size of the
    /// target.
    ///
    /// - Parameter geometry: The geometry by which the frame was laid out.
    /// - Returns: The format of the result.
    public func laidOut(by geometry: VideoGeometry) -> VideoFormat {
        var result = self
        result.size = geometry.target
        result.pixelAspectRatio = Rational(1, 1)
        result.rotation = .none
        result.isMirrored = false
        return result
    }
}

extension Track {
    /// The part of the track's properties that determines the position of its frames in a layer.
    public var shape: VideoShape {
        VideoShape(
            size: naturalSize,
            pixelAspectRatio: pixelAspectRatio,
            rotation: preferredRotation,
            isMirrored: isMirrored
        )
    }
}

/// A shape in numbers that cannot overflow, the basis of all fitting.
///
/// A side beyond `Int32.max` counts as `Int32.max`. A pixel aspect ratio that is not positive, or that makes the
/// picture wider than `Int32.max`, counts as 1:1. Products of three sides and a pixel aspect ratio therefore stay
/// below 2^124.
struct ExactShape {
    /// The visible part of the coded picture, in coded pixels. It is never empty.
    let aperture: PixelRect
    let pixelWidth: UInt128
    let pixelHeight: UInt128

    /// Creates an exact shape. Returns nil for an empty picture.
    init?(_ shape: VideoShape) {
        guard !shape.size.isEmpty else { return nil }
        let whole = PixelRect(origin: Self.clamped(shape.size))
        let aperture = shape.cleanAperture?.intersection(whole) ?? whole
        let aspect = shape.pixelAspectRatio
        var (pixelWidth, pixelHeight): (UInt128, UInt128) = (1, 1)
        if aspect.isPositive {
            (pixelWidth, pixelHeight) = (UInt128(aspect.numerator), UInt128(aspect.denominator))
            if UInt128(aperture.width) * pixelWidth >= UInt128(Int32.max) * pixelHeight {
                (pixelWidth, pixelHeight) = (1, 1)
            }
        }
        self.aperture = aperture
        self.pixelWidth = pixelWidth
        self.pixelHeight = pixelHeight
    }

    /// The exact displayed width and height before rotation, in units of which a row is `pixelHeight` high.
    var seen: (width: UInt128, height: UInt128) {
        (UInt128(aperture.width) * pixelWidth, UInt128(aperture.height) * pixelHeight)
    }

    /// The size of the clean aperture before rotation, after its pixels are made square by changing the width only.
    var squarePixelSize: PixelSize {
        let width = rounded(UInt128(aperture.width) * pixelWidth, over: pixelHeight)
        return PixelSize(width: width, height: aperture.height)
    }

    /// Returns the size with sides of at most `Int32.max`.
    static func clamped(_ size: PixelSize) -> PixelSize {
        PixelSize(width: min(size.width, Int(Int32.max)), height: min(size.height, Int(Int32.max)))
    }
}

/// Returns the nearest whole quotient, halves up, clamped to 1...Int32.max. `dividend` must be below 2^126.
func rounded(_ dividend: UInt128, over divisor: UInt128) -> Int {
    let nearest = (2 * dividend + divisor) / (2 * divisor)
    return Int(clamping: min(max(nearest, 1), UInt128(Int32.max)))
}

extension Rational {
    /// Creates a fraction: exact if both numbers fit into 32 bits once reduced; otherwise the lowest bits of both are
    /// dropped.
    fileprivate init(approximating numerator: UInt128, over denominator: UInt128) {
        var (divisor, rest) = (numerator, denominator)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        var (top, bottom) = (numerator / max(divisor, 1), denominator / max(divisor, 1))
        while max(top, bottom) > UInt128(Int32.max) { (top, bottom) = (top >> 1, bottom >> 1) }
        self.init(Int32(clamping: max(top, 1)), Int32(clamping: max(bottom, 1)))
    }
}

extension PixelRect {
    init(origin size: PixelSize) { self.init(x: 0, y: 0, width: size.width, height: size.height) }

    /// Returns the part that lies in a frame, or nil if there is none.
    package func clipped(to size: PixelSize) -> PixelRect? { intersection(PixelRect(origin: size)) }

    /// Returns the common part, or nil if there is none. It never overflows.
    func intersection(_ other: PixelRect) -> PixelRect? {
        guard width > 0, height > 0 else { return nil }
        let left = max(x, other.x)
        let top = max(y, other.y)
        let right = min(Self.end(x, width), Self.end(other.x, other.width))
        let bottom = min(Self.end(y, height), Self.end(other.y, other.height))
        guard left < right, top < bottom else { return nil }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    private static func end(_ start: Int, _ length: Int) -> Int {
        let (end, overflow) = start.addingReportingOverflow(length)
        return overflow ? .max : end
    }
}
