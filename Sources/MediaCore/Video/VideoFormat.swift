/// What a run of frames has in common. A sink is started again whenever any of this changes.
public struct VideoFormat: Hashable, Sendable {
    /// How the samples lie in memory.
    public var pixelFormat: PixelFormat
    /// Coded size after cropping, before rotation and pixel aspect.
    public var size: PixelSize
    /// 1:1 when square or unknown.
    public var pixelAspectRatio: Rational
    /// What the sample values mean, as far as the stream says.
    public var color: ColorDescription
    /// What brings the coded picture upright; nothing has been turned yet.
    public var rotation: Rotation
    /// Mirrored left to right, before `rotation` is applied.
    public var isMirrored: Bool
    /// The container's or the codec's best guess; nil when there is none. Never use it to schedule.
    public var nominalFrameRate: Rational?
    /// What it was graded on; nil where the stream does not say. It says so of HDR (PQ) as a rule.
    public var masteringDisplay: MasteringDisplay?
    /// How bright the pictures become; nil where the stream does not say.
    public var contentLightLevel: ContentLightLevel?

    /// Upright, with square pixels and nothing known of its colours, unless said otherwise.
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

    /// Size as a viewer sees it: pixel aspect widens or narrows, then rotation swaps the axes.
    public var presentationSize: PixelSize { shape.presentationSize }
}
