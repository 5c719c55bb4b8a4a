/// Which pictures of high dynamic range (PQ and HLG) are mapped to the standard one, BT.709, when they are handed out.
/// `VideoFormat.color` says what came of it; pictures of the standard range are not touched.
public enum DynamicRangePolicy: String, Hashable, Sendable, CaseIterable {
    /// Those that are to be looked at: still images, what is laid out upright for a sink, because the layer has a size or the
    /// sink asks for it (`VideoSink.appliesPreferredTrackTransform`), and what becomes RGB on its way to a sink.
    case auto
    /// All.
    case forceSDR
    /// None: they keep the colours that they have in the file.
    case matchSource

    /// Of a picture of that format. `isSeen`: it is to be looked at.
    package func requiresToneMapping(_ format: VideoFormat, isForDisplay: Bool) -> Bool {
        guard format.color.isHDR else { return false }
        return switch self {
        case .auto: isForDisplay
        case .forceSDR: true
        case .matchSource: false
        }
    }
}

extension ColorDescription {
    /// High dynamic range: PQ (SMPTE ST 2084) or HLG (ARIB STD-B67), both of ITU-R BT.2100.
    public var isHDR: Bool { transfer == "smpte2084" || transfer == "arib-std-b67" }
}

extension PixelFormat {
    /// By the names that FFmpeg gives to formats of red, green and blue, and to those with a palette.
    package var isRGB: Bool {
        let starts = ["rgb", "bgr", "gbr", "argb", "abgr", "0rgb", "0bgr", "x2rgb", "x2bgr", "pal8"]
        return starts.contains { rawValue.hasPrefix($0) }
    }
}
