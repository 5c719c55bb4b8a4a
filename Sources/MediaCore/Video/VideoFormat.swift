/// The layout of a frame's samples in memory, by FFmpeg's name ("yuv420p", "nv12", "rgba" ...).
public struct PixelFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let yuv420p = PixelFormat(rawValue: "yuv420p")
    public static let yuvj420p = PixelFormat(rawValue: "yuvj420p")
    public static let yuv422p = PixelFormat(rawValue: "yuv422p")
    public static let yuv444p = PixelFormat(rawValue: "yuv444p")
    public static let yuv420p10le = PixelFormat(rawValue: "yuv420p10le")
    public static let nv12 = PixelFormat(rawValue: "nv12")
    public static let p010le = PixelFormat(rawValue: "p010le")
    public static let rgb24 = PixelFormat(rawValue: "rgb24")
    public static let rgba = PixelFormat(rawValue: "rgba")
    public static let bgra = PixelFormat(rawValue: "bgra")
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
    case none = 0
    /// Turn the frame 90 degrees clockwise to view it.
    case clockwise90 = 90
    case half = 180
    case clockwise270 = 270

    public var swapsAxes: Bool { self == .clockwise90 || self == .clockwise270 }
}

/// What a run of frames has in common. A sink is started again whenever any of this changes.
public struct VideoFormat: Hashable, Sendable {
    public var pixelFormat: PixelFormat
    /// Coded size after cropping, before rotation and pixel aspect.
    public var size: PixelSize
    /// 1:1 when square or unknown.
    public var pixelAspectRatio: Rational
    public var color: ColorDescription
    public var rotation: Rotation
    /// Mirrored left to right, before `rotation` is applied.
    public var isMirrored: Bool
    /// The container's or the codec's best guess; nil when there is none. Never use it to schedule.
    public var nominalFrameRate: Rational?

    public init(
        pixelFormat: PixelFormat,
        size: PixelSize,
        pixelAspectRatio: Rational = Rational(1, 1),
        color: ColorDescription = ColorDescription(),
        rotation: Rotation = .none,
        isMirrored: Bool = false,
        nominalFrameRate: Rational? = nil
    ) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.pixelAspectRatio = pixelAspectRatio
        self.color = color
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.nominalFrameRate = nominalFrameRate
    }

    /// Size as a viewer sees it: pixel aspect widens or narrows, then rotation swaps the axes.
    public var presentationSize: PixelSize { shape.presentationSize }
}
