/// The format that a run of frames has in common. A sink is started again whenever any part of it changes.
public struct VideoFormat: Hashable, Sendable {
    /// The layout of the samples in memory.
    public var pixelFormat: PixelFormat
    /// The coded size after cropping, before rotation and pixel aspect ratio are applied.
    public var size: PixelSize
    /// The width of a pixel divided by its height; 1:1 if pixels are square or it is unknown.
    public var pixelAspectRatio: Rational
    /// The meaning of the sample values, as far as the stream declares it.
    public var color: ColorDescription
    /// The rotation that turns the frame upright. It has not been applied.
    public var rotation: Rotation
    /// A Boolean value that indicates whether the frame is mirrored left to right before `rotation` is applied.
    public var isMirrored: Bool
    /// The frame rate that the container or the codec declares or estimates; nil if there is none. It is not suitable
    /// for scheduling.
    public var nominalFrameRate: Rational?
    /// The display that the video was graded on; nil if the stream does not declare it. HDR video (PQ) usually does.
    public var masteringDisplay: MasteringDisplay?
    /// The brightness of the video; nil if the stream does not declare it.
    public var contentLightLevel: ContentLightLevel?

    /// Creates a format: by default upright, with square pixels and unknown colors.
    ///
    /// - Parameters:
    ///   - pixelFormat: The layout of the samples in memory.
    ///   - size: The coded size after cropping.
    ///   - pixelAspectRatio: The width of a pixel divided by its height.
    ///   - color: The meaning of the sample values.
    ///   - rotation: The rotation that turns the frame upright.
    ///   - isMirrored: Whether the frame is mirrored before it is rotated.
    ///   - nominalFrameRate: The declared frame rate.
    ///   - masteringDisplay: The display that the video was graded on.
    ///   - contentLightLevel: The brightness of the video.
    public init(
        pixelFormat: PixelFormat,
        size: PixelSize,
        pixelAspectRatio: Rational = Rational(1, 1),
        color: ColorDescription = ColorDescription(),
        rotation: Rotation = .none,
        isMirrored: Bool = false,
        nominalFrameRate: Rational? = nil,
        masteringDisplay: MasteringDisplay? = nil,
        contentLightLevel: ContentLightLevel? = nil
    ) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.pixelAspectRatio = pixelAspectRatio
        self.color = color
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.nominalFrameRate = nominalFrameRate
        self.masteringDisplay = masteringDisplay
        self.contentLightLevel = contentLightLevel
    }

    /// The size at which a viewer sees the frame: after applying the pixel aspect ratio and then the rotation.
    public var presentationSize: PixelSize { shape.presentationSize }
}
