/// How one audio sample is stored, by FFmpeg's name ("s16", "fltp" ...).
public struct SampleFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Interleaved signed 16 bit, host byte order.
    public static let s16 = SampleFormat(rawValue: "s16")
    /// Interleaved 32 bit float.
    public static let float = SampleFormat(rawValue: "flt")
    /// Planar 32 bit float.
    public static let floatPlanar = SampleFormat(rawValue: "fltp")

    /// FFmpeg's names end in "p" for one plane per channel.
    public var isPlanar: Bool { rawValue.hasSuffix("p") }
    /// Bytes of one sample of one channel; 0 for a name that is not known.
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
