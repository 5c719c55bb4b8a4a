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
