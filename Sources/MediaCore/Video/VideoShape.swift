/// How large and which way round a coded picture is meant to be seen.
public struct VideoShape: Hashable, Sendable {
    /// Pixels of the coded picture, before rotation and pixel aspect.
    public var size: PixelSize
    /// Width of a pixel by its height; 1:1 where it is square or unknown.
    public var pixelAspectRatio: Rational
    /// The part of the coded picture that is meant to be seen; nil: all of it.
    public var cleanAperture: PixelRect?
    /// What brings the coded picture upright.
    public var rotation: Rotation
    /// Mirrored left to right, before `rotation` is applied.
    public var isMirrored: Bool

    /// Upright, whole and with square pixels unless said otherwise.
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

    /// Size as a viewer sees it: pixel aspect widens or narrows the frame, then rotation swaps the axes. Rounded
    /// once, halves up, and 1 at least; `.zero` for an empty frame.
    public var presentationSize: PixelSize {
        guard let ratio = ExactShape(self) else { return .zero }
        let size = ratio.squarePixelSize
        return rotation.swapsAxes ? PixelSize(width: size.height, height: size.width) : size
    }

    /// The same frame in another number of pixels: the pixel aspect makes up for it, so that it is seen in the
    /// same shape. The clean aperture is not carried over.
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

    /// The whole frame after its rotation and mirroring have been carried out.
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
    /// What of the format decides how a frame lies in a layer.
    public var shape: VideoShape {
        VideoShape(
            size: size,
            pixelAspectRatio: pixelAspectRatio,
            rotation: rotation,
            isMirrored: isMirrored
        )
    }

    /// Of a frame that has been laid out: upright, square pixels, the target's size.
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
    /// What of the track decides how its frames lie in a layer.
    public var shape: VideoShape {
        VideoShape(
            size: naturalSize,
            pixelAspectRatio: pixelAspectRatio,
            rotation: preferredRotation,
            isMirrored: isMirrored
        )
    }
}

/// A shape in numbers that cannot overflow: what all fitting is reckoned from.
///
/// A side beyond `Int32.max` counts as that. A pixel aspect that is not positive, or that would make the frame
/// wider than `Int32.max`, counts as 1:1. So products of three sides and a pixel aspect stay below 2^124.
struct ExactShape {
    /// Within the coded picture, in coded pixels; never empty.
    let aperture: PixelRect
    let pixelWidth: UInt128
    let pixelHeight: UInt128

    /// nil for an empty frame.
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

    /// Width and height as they are seen before rotation, exact, in units of which there are `pixelHeight` a row.
    var seen: (width: UInt128, height: UInt128) {
        (UInt128(aperture.width) * pixelWidth, UInt128(aperture.height) * pixelHeight)
    }

    /// The clean aperture with its pixels made square by width alone, before rotation.
    var squarePixelSize: PixelSize {
        let width = rounded(UInt128(aperture.width) * pixelWidth, over: pixelHeight)
        return PixelSize(width: width, height: aperture.height)
    }

    static func clamped(_ size: PixelSize) -> PixelSize {
        PixelSize(width: min(size.width, Int(Int32.max)), height: min(size.height, Int(Int32.max)))
    }
}

/// The nearest whole number, halves up, held within 1...Int32.max. `dividend` below 2^126.
func rounded(_ dividend: UInt128, over divisor: UInt128) -> Int {
    let nearest = (2 * dividend + divisor) / (2 * divisor)
    return Int(clamping: min(max(nearest, 1), UInt128(Int32.max)))
}

extension Rational {
    /// Exact where both numbers fit into 32 bits once reduced; else the lowest bits of both are dropped.
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

    /// nil where nothing is left. Never overflows.
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
