/// How a frame lies in a target of another size and shape: the one place where that is worked out.
///
/// Layers, stills, `PlayerLayer.videoRect` and the choice of a variant all go by it. Whole numbers alone; each
/// length is rounded once, from the exact ratio:
/// * a length goes to the nearest whole pixel, halves up, and is 1 at least;
/// * what is left over is shared out on both sides, and where it is odd the right or the bottom gets one more: of
///   the target for `destination`, of the coded picture for `source`;
/// * sides beyond `Int32.max` count as that, so no size can make it overflow.
public struct VideoGeometry: Hashable, Sendable {
    /// The part of the coded picture that is shown, before rotation.
    public let source: PixelRect
    /// Where that part lies in the target, upright.
    public let destination: PixelRect
    /// Where the whole frame lies: what `resizeAspectFill` cuts off lies beyond the target.
    public let videoRect: PixelRect
    /// Size of what the frame is laid into, in square pixels.
    public let target: PixelSize
    /// What has to be done to `source`, before it is laid into `destination`: it is mirrored left to right, and
    /// then rotated.
    public let rotation: Rotation
    /// Whether `source` has to be mirrored left to right, before it is rotated.
    public let isMirrored: Bool
    /// Every pixel of the target is the coded picture's in the same place: nothing has to be done.
    public let isIdentity: Bool

    /// `target`: in square pixels; nil: the frame's own presentation size, which it fills.
    ///
    /// All rectangles are empty where the frame or the target is.
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

    /// The frame in its own size where it is no larger than `bounds`, else made as small as it has to be to lie
    /// inside. A side of `bounds` that is not positive is no bound; nil: none is.
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

    /// Size of `destination` before the frame is rotated into it.
    public var scaledSize: PixelSize {
        let size = destination.size
        return rotation.swapsAxes ? PixelSize(width: size.height, height: size.width) : size
    }

    /// What of the target the frame leaves free: with `destination` these make up the target, and no two of them
    /// overlap. From the top down, at most four.
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

/// An upright frame of an exact shape against a target.
private struct Fit {
    private let exact: ExactShape
    private let swapsAxes: Bool
    private let target: PixelSize
    /// The frame's exact width and height as it is seen upright; only their ratio counts. Below 2^62.
    private let width: UInt128
    private let height: UInt128

    init(_ exact: ExactShape, swapsAxes: Bool, _ target: PixelSize) {
        self.exact = exact
        self.swapsAxes = swapsAxes
        self.target = target
        (width, height) = swapsAxes ? (exact.seen.height, exact.seen.width) : exact.seen
    }

    /// The frame is wider than the target, or just as wide, when both are equally high.
    private var isWider: Bool { width * UInt128(target.height) >= height * UInt128(target.width) }

    private var byWidth: PixelSize {
        PixelSize(width: target.width, height: rounded(height * UInt128(target.width), over: width))
    }
    private var byHeight: PixelSize {
        PixelSize(width: rounded(width * UInt128(target.height), over: height), height: target.height)
    }

    var inside: PixelSize { isWider ? byWidth : byHeight }
    var outside: PixelSize { isWider ? byHeight : byWidth }

    /// In the middle of the target, or the target in the middle of it.
    func rect(_ size: PixelSize) -> PixelRect {
        PixelRect(
            x: (target.width - size.width) >> 1,
            y: (target.height - size.height) >> 1,
            width: size.width,
            height: size.height
        )
    }

    /// What of the coded picture is seen when the target is covered.
    var visible: PixelRect {
        let aperture = exact.aperture
        // The share of the upright frame that is seen, along the axis that is cut.
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
