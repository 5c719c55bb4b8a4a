/// One plane of a frame: rows of samples, `bytesPerRow` apart. The pointer lives as long as the closure
/// that received it.
public struct VideoPlane {
    /// First byte of the first (top) row.
    public let baseAddress: UnsafeRawPointer
    /// Distance from one row to the next in bytes; may be negative for frames stored bottom up.
    public let bytesPerRow: Int
    /// Bytes of a row that hold samples; the rest up to `bytesPerRow` is padding.
    public let bytesUsedPerRow: Int
    /// Rows of the plane: fewer than the frame has where chroma is halved.
    public let rowCount: Int

    /// Nothing is copied: the memory is the caller's.
    public init(baseAddress: UnsafeRawPointer, bytesPerRow: Int, bytesUsedPerRow: Int, rowCount: Int) {
        self.baseAddress = baseAddress
        self.bytesPerRow = bytesPerRow
        self.bytesUsedPerRow = bytesUsedPerRow
        self.rowCount = rowCount
    }
}

/// Whoever owns a frame's memory. Freed, or returned to the decoder's pool, when the last frame that
/// refers to it lets go. Immutable once made, so it may be read from any thread.
public protocol VideoFrameStorage: AnyObject, Sendable {
    /// Bytes held, for budgets.
    var byteCount: Int { get }
    /// Calls `body` with the planes, top row first. The pointers must not outlive the call.
    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R
}

/// A frame's time as the container wrote it: before the item's timeline was laid over it.
public struct SourceTime: Hashable, Sendable {
    /// Presentation time in `timeBase` ticks; nil where the stream has none.
    public var ticks: Int64?
    /// Seconds per tick.
    public var timeBase: Rational

    /// `ticks` of `timeBase` seconds each.
    public init(ticks: Int64?, timeBase: Rational) {
        self.ticks = ticks
        self.timeBase = timeBase
    }
}

/// A decoded picture: a reference to the decoder's memory, never a copy unless converted.
public struct VideoFrame: Sendable {
    /// Size, pixel format, colours, and how the frame is meant to be seen.
    public var format: VideoFormat
    /// When the frame is due on the item's timeline; zero is the item's start.
    public var presentationTime: MediaTime
    /// How long it is due for; `.invalid` where the stream does not say.
    public var duration: MediaTime
    /// It refers to no other frame: decoding can begin here.
    public var isKeyFrame: Bool
    /// The decoder concealed damage in this frame.
    public var isCorrupt: Bool
    /// Two fields of different times, woven into one another.
    public var isInterlaced = false
    /// The upper one of the two fields is the earlier one; means nothing where the frame is not interlaced.
    public var isTopFieldFirst = false
    /// The container's own time stamp, untouched.
    public var sourceTime: SourceTime
    /// The pixels, which other frames may share; never changed.
    public var storage: any VideoFrameStorage
    /// The seek or flush that this frame belongs to; see `Epoch`.
    public var epoch: Epoch
    /// How many times the item had been played through before this frame: 0 in the first pass.
    public var pass: Int

    /// Delivered while playing backward: the one before it is due later.
    public var isReversed = false

    /// Of an interlaced frame, where somebody deinterlaces.
    package var neighbours: DeinterlaceContext?

    /// `presentationTime` and `duration` in item time; `epoch` and `pass` are stamped by who runs the
    /// decoder.
    public init(
        format: VideoFormat,
        presentationTime: MediaTime,
        duration: MediaTime,
        isKeyFrame: Bool,
        isCorrupt: Bool = false,
        sourceTime: SourceTime,
        storage: any VideoFrameStorage,
        epoch: Epoch = Epoch(),
        pass: Int = 0
    ) {
        self.format = format
        self.presentationTime = presentationTime
        self.duration = duration
        self.isKeyFrame = isKeyFrame
        self.isCorrupt = isCorrupt
        self.sourceTime = sourceTime
        self.storage = storage
        self.epoch = epoch
        self.pass = pass
    }

    /// As `format` has it.
    public var pixelFormat: PixelFormat { format.pixelFormat }
    /// Coded size, as `format` has it; `VideoFormat.presentationSize` is what a viewer sees.
    public var size: PixelSize { format.size }

    /// Calls `body` with the planes, top row first. The pointers must not outlive the call.
    public func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R {
        try storage.withPlanes(body)
    }
}
