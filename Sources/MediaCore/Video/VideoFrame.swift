/// A decoded frame. It refers to the decoder's memory; pixels are copied only when they are converted.
public struct VideoFrame: Sendable {
    /// The size, pixel format, colors and orientation of the frame.
    public var format: VideoFormat
    /// The time on the item's timeline at which the frame is due.
    public var presentationTime: MediaTime
    /// The time for which the frame is shown; `.invalid` if the stream does not declare it.
    public var duration: MediaTime
    /// A Boolean value that indicates whether decoding can start at this frame, because it refers to no other.
    public var isKeyFrame: Bool
    /// A Boolean value that indicates whether the decoder concealed damage in this frame.
    public var isCorrupt: Bool
    /// A Boolean value that indicates whether the frame consists of two interleaved fields of different times.
    public var isInterlaced = false
    /// A Boolean value that indicates whether the top field is the earlier one. It is meaningful for interlaced
    /// frames only.
    public var isTopFieldFirst = false
    /// The timestamp in the container, unchanged.
    public var sourceTime: SourceTime
    /// The memory with the pixels, which other frames may share. It is never modified.
    public var storage: any VideoFrameStorage
    /// The epoch of the seek or flush that the frame belongs to; see `Epoch`.
    public var epoch: Epoch
    /// The number of times that the item had been played through before this frame: 0 in the first pass.
    public var pass: Int

    /// A Boolean value that indicates whether the frame is delivered during reverse playback, in which presentation
    /// times decrease.
    public var isReversed = false

    /// The frames around an interlaced frame, if it may be deinterlaced.
    package var deinterlaceContext: DeinterlaceContext?

    /// Creates a frame.
    ///
    /// - Parameters:
    ///   - format: The size, pixel format, colors and orientation.
    ///   - presentationTime: The item time at which the frame is due.
    ///   - duration: The time for which the frame is shown; `.invalid` if unknown.
    ///   - isKeyFrame: Whether decoding can start at this frame.
    ///   - isCorrupt: Whether the decoder concealed damage.
    ///   - sourceTime: The timestamp in the container.
    ///   - storage: The memory with the pixels.
    ///   - epoch: The epoch, which the owner of the decoder sets.
    ///   - pass: The number of earlier passes, which the owner of the decoder sets.
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

    /// The layout of the samples in memory, as in `format`.
    public var pixelFormat: PixelFormat { format.pixelFormat }
    /// The coded size, as in `format`. `VideoFormat.presentationSize` is the size that a viewer sees.
    public var size: PixelSize { format.size }

    /// Calls a closure with the planes of the frame, with the top row first.
    ///
    /// - Parameter body: Receives the planes. Their pointers are valid during the call only.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func withPlanes<R, Failure: Error>(
        _ body: ([VideoPlane]) throws(Failure) -> R
    ) throws(Failure) -> R {
        try storage.withPlanes { planes in Result { () throws(Failure) in try body(planes) } }.get()
    }
}
