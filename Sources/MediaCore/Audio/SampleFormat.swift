/// The type of an audio sample in memory, by FFmpeg's name, such as "s16" or "fltp".
public struct SampleFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Interleaved signed 16-bit integers in host byte order.
    public static let s16 = SampleFormat(rawValue: "s16")
    /// Interleaved 32-bit floating point.
    public static let float = SampleFormat(rawValue: "flt")
    /// Planar 32-bit floating point.
    public static let floatPlanar = SampleFormat(rawValue: "fltp")

    /// A Boolean value that indicates whether each channel has a plane of its own. FFmpeg's names of planar formats
    /// end in "p".
    public var isPlanar: Bool { rawValue.hasSuffix("p") }
    /// The number of bytes of one sample of one channel; 0 if the name is unknown.
    public var bytesPerSample: Int {
        switch rawValue {
        case "fltp", "flt", "s32", "s32p": 4
        case "s16", "s16p": 2
        case "u8", "u8p": 1
        case "dbl", "dblp", "s64", "s64p": 8
        default: 0
        }
    }
    public var description: String { rawValue }
}
