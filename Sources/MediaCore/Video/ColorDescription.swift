/// The meaning of sample values: FFmpeg's names of the code points of ITU-T H.273. A property is nil if the stream
/// does not declare it.
public struct ColorDescription: Hashable, Sendable {
    /// The color primaries, such as "bt709", "bt2020" or "smpte170m".
    public var primaries: String?
    /// The transfer characteristics, such as "bt709", "smpte2084" (PQ) or "arib-std-b67" (HLG).
    public var transfer: String?
    /// The matrix coefficients, such as "bt709", "bt2020nc", "smpte170m" or "gbr".
    public var matrix: String?
    /// The range of 8-bit values: true for 0...255, false for 16...235, nil if it is not declared.
    public var isFullRange: Bool?
    /// The location of the chroma samples, such as "left", "center" or "topleft".
    public var chromaLocation: String?

    /// Creates a description. Omitted values are unknown.
    ///
    /// - Parameters:
    ///   - primaries: The color primaries.
    ///   - transfer: The transfer characteristics.
    ///   - matrix: The matrix coefficients.
    ///   - isFullRange: Whether 8-bit values use the full range.
    ///   - chromaLocation: The location of the chroma samples.
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
