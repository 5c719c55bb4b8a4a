/// The layout of a frame's samples in memory, by FFmpeg's name ("yuv420p", "nv12", "rgba" ...).
public struct PixelFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Planar YUV, 8 bits, chroma halved both ways: what most video is. Limited range unless the frame says
    /// otherwise.
    public static let yuv420p = PixelFormat(rawValue: "yuv420p")
    /// As `yuv420p`, in full range: JPEG's.
    public static let yuvj420p = PixelFormat(rawValue: "yuvj420p")
    /// Planar YUV, 8 bits, chroma halved from left to right.
    public static let yuv422p = PixelFormat(rawValue: "yuv422p")
    /// Planar YUV, 8 bits, a chroma sample for each pixel.
    public static let yuv444p = PixelFormat(rawValue: "yuv444p")
    /// As `yuv420p` with 10 bits, in two bytes each, the low one first.
    public static let yuv420p10le = PixelFormat(rawValue: "yuv420p10le")
    /// 8 bits, chroma halved both ways: a plane of Y, and one of U and V in turn.
    public static let nv12 = PixelFormat(rawValue: "nv12")
    /// As `nv12` with 10 bits, in the upper bits of two bytes each, the low one first.
    public static let p010le = PixelFormat(rawValue: "p010le")
    /// Three bytes a pixel: red, green, blue.
    public static let rgb24 = PixelFormat(rawValue: "rgb24")
    /// Four bytes a pixel: red, green, blue, alpha (straight).
    public static let rgba = PixelFormat(rawValue: "rgba")
    /// Four bytes a pixel: blue, green, red, alpha (straight); kCVPixelFormatType_32BGRA.
    public static let bgra = PixelFormat(rawValue: "bgra")
    /// One byte a pixel: brightness.
    public static let gray = PixelFormat(rawValue: "gray")

    public var description: String { rawValue }
}

/// How sample values become light: FFmpeg's names for the H.273 code points; nil where the stream is silent.
public struct ColorDescription: Hashable, Sendable {
    /// "bt709", "bt2020", "smpte170m" ...
    public var primaries: String?
    /// "bt709", "smpte2084" (PQ), "arib-std-b67" (HLG) ...
    public var transfer: String?
    /// "bt709", "bt2020nc", "smpte170m", "gbr" ...
    public var matrix: String?
    /// True for 0...255, false for 16...235, nil where the stream is silent.
    public var isFullRange: Bool?
    /// Where chroma samples sit: "left", "center", "topleft" ...
    public var chromaLocation: String?

    /// What is left out is not known.
    public init(
        primaries: String? = nil,
        transfer: String? = nil,
        matrix: String? = nil,
        isFullRange: Bool? = nil,
        chromaLocation: String? = nil
    ) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
        self.chromaLocation = chromaLocation
    }
}

/// Quarter turns that bring the coded picture upright for a viewer.
public enum Rotation: Int, Hashable, Sendable, CaseIterable {
    /// It is upright as it is coded.
    case none = 0
    /// Turn the frame 90 degrees clockwise to view it.
    case clockwise90 = 90
    /// Turn the frame upside down to view it.
    case half = 180
    /// Turn the frame 90 degrees counterclockwise to view it.
    case clockwise270 = 270

    /// Whether width and height change places.
    public var swapsAxes: Bool { self == .clockwise90 || self == .clockwise270 }
}

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
