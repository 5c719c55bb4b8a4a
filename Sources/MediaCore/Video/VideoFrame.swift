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
