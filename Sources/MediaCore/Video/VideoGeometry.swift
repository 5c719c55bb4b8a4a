/// The position of a frame in a target of another size and shape.
///
/// Layers, still images, `PlayerLayer.videoRect` and the selection of a variant all use it. It uses integers only,
/// and rounds each length once, from the exact ratio:
/// * A length is rounded to the nearest whole pixel, halves up, and is at least 1.
/// * Remaining space is divided between both sides. If it is odd, the right or bottom side gets one pixel more: of
///   the target for `destination`, of the coded picture for `source`.
/// * Sides beyond `Int32.max` count as `Int32.max`, so no size can overflow.
public struct VideoGeometry: Hashable, Sendable {
    /// The part of the coded picture that is shown, before rotation.
    public let source: PixelRect
    /// The rectangle of that part in the target, upright.
    public let destination: PixelRect
    /// The rectangle of the whole frame. With `resizeAspectFill` it extends beyond the target.
    public let videoRect: PixelRect
    /// The size of the target in square pixels.
    public let target: PixelSize
    /// The rotation that is applied to `source`, after mirroring, before it is drawn into `destination`.
    public let rotation: Rotation
    /// A Boolean value that indicates whether `source` is mirrored left to right before it is rotated.
    public let isMirrored: Bool
    /// A Boolean value that indicates whether each pixel of the target equals the coded pixel at the same position,
    /// so that nothing has to be done.
    public let isIdentity: Bool

    /// Creates the geometry of a frame in a target. All rectangles are empty if the frame or the target is empty.
    ///
    /// - Parameters:
    ///   - shape: The size and orientation of the frame.
    ///   - gravity: How the frame is fitted into the target.
    ///   - target: The size of the target in square pixels; nil for the frame's own presentation size, which it
    ///     fills.
    public init(_ shape: VideoShape, gravity: VideoGravity, target: PixelSize?) {
        let gravity = target == nil ? .resize : gravity
        let target = ExactShape.clamped(target ?? shape.presentationSize)
        guard let exact = ExactShape(shape), !target.isEmpty else {
            self.init(source: .zero, destination: .zero, videoRect: .zero, target: target)
            return
        }
        let fit = Fit(exact, swapsAxes: shape.rotation.swapsAxes, target)
        let whole = PixelRect(origin: ExactShape.clamped(shape.size))
        let all = PixelRect(origin: target)
        let source: PixelRect
        var destination = all
        var videoRect = all
        switch gravity {
        case .resize:
            source = exact.aperture
        case .resizeAspect:
            source = exact.aperture
            destination = fit.rect(fit.inside)
            videoRect = destination
        case .resizeAspectFill:
            source = fit.visible
            videoRect = fit.rect(fit.outside)
        }
        self.init(
            source: source,
            destination: destination,
            videoRect: videoRect,
            target: target,
            rotation: shape.rotation,
            isMirrored: shape.isMirrored,
            isIdentity: source == whole && destination == all && target == whole.size
                && shape.rotation == .none && !shape.isMirrored
        )
    }

    private init(
        source: PixelRect,
        destination: PixelRect,
        videoRect: PixelRect,
        target: PixelSize,
        rotation: Rotation = .none,
        isMirrored: Bool = false,
        isIdentity: Bool = false
    ) {
        self.source = source
        self.destination = destination
        self.videoRect = videoRect
        self.target = target
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.isIdentity = isIdentity
    }

    /// Creates the geometry of a frame that is scaled down, if necessary, to fit inside bounds.
    ///
    /// - Parameters:
    ///   - shape: The size and orientation of the frame.
    ///   - bounds: The largest size. A side that is not positive is unlimited; nil means no limit.
    public init(_ shape: VideoShape, inside bounds: PixelSize?) {
        let own = shape.presentationSize
        guard let bounds, !own.isEmpty else {
            self.init(shape, gravity: .resize, target: nil)
            return
        }
        let width = bounds.width > 0 ? bounds.width : own.width
        let height = bounds.height > 0 ? bounds.height : own.height
        let isInside = own.width <= width && own.height <= height
        let limit = PixelSize(width: width, height: height)
        let fitted =
            isInside ? own : VideoGeometry(shape, gravity: .resizeAspect, target: limit).destination.size
        self.init(shape, gravity: .resize, target: fitted)
    }

    /// The size of `destination` before the frame is rotated into it.
    public var scaledSize: PixelSize {
        let size = destination.size
        return rotation.swapsAxes ? PixelSize(width: size.height, height: size.width) : size
    }

    /// The parts of the target that the frame does not cover: at most four rectangles from top to bottom, which do
    /// not overlap. Together with `destination` they make up the target.
    public var bars: [PixelRect] {
        let right = destination.x + destination.width
        let bottom = destination.y + destination.height
        let (y, height) = (destination.y, destination.height)
        return [
            PixelRect(x: 0, y: 0, width: target.width, height: y),
            PixelRect(x: 0, y: y, width: destination.x, height: height),
            PixelRect(x: right, y: y, width: target.width - right, height: height),
            PixelRect(x: 0, y: bottom, width: target.width, height: target.height - bottom),
        ].filter { !$0.size.isEmpty }
    }
}

/// An upright frame of an exact shape, compared with a target.
private struct Fit {
    private let exact: ExactShape
    private let swapsAxes: Bool
    private let target: PixelSize
    /// The exact width and height of the upright frame, below 2^62. Only their ratio is significant.
    private let width: UInt128
    private let height: UInt128

    init(_ exact: ExactShape, swapsAxes: Bool, _ target: PixelSize) {
        self.exact = exact
        self.swapsAxes = swapsAxes
        self.target = target
        (width, height) = swapsAxes ? (exact.seen.height, exact.seen.width) : exact.seen
    }

    /// A Boolean value that indicates whether the frame is at least as wide as the target if both have the same
    /// height.
    private var isWider: Bool { width * UInt128(target.height) >= height * UInt128(target.width) }

    private var byWidth: PixelSize {
        PixelSize(width: target.width, height: rounded(height * UInt128(target.width), over: width))
    }
    private var byHeight: PixelSize {
        PixelSize(width: rounded(width * UInt128(target.height), over: height), height: target.height)
    }

    var inside: PixelSize { isWider ? byWidth : byHeight }
    var outside: PixelSize { isWider ? byHeight : byWidth }

    /// Returns a rectangle of the given size, centered on the target.
    func rect(_ size: PixelSize) -> PixelRect {
        PixelRect(
            x: (target.width - size.width) >> 1,
            y: (target.height - size.height) >> 1,
            width: size.width,
            height: size.height
        )
    }

    /// The part of the coded picture that is visible if the frame covers the target.
    var visible: PixelRect {
        let aperture = exact.aperture
        // The visible fraction of the upright frame along the axis that is cropped.
        let (part, whole) =
            isWider
            ? (UInt128(target.width) * height, UInt128(target.height) * width)
            : (UInt128(target.height) * width, UInt128(target.width) * height)
        let cutsColumns = isWider != swapsAxes
        let length = cutsColumns ? aperture.width : aperture.height
        let seen = min(length, rounded(UInt128(length) * part, over: whole))
        let start = (length - seen) / 2
        var rect = aperture
        if cutsColumns {
            (rect.x, rect.width) = (aperture.x + start, seen)
        } else {
            (rect.y, rect.height) = (aperture.y + start, seen)
        }
        return rect
    }
}
