/// A policy for mapping frames of high dynamic range (PQ and HLG) to standard dynamic range (BT.709).
///
/// `VideoFormat.color` describes the result. Frames of standard dynamic range are never changed.
public enum DynamicRangePolicy: String, Hashable, Sendable, CaseIterable {
    /// Frames for display are mapped: still images, frames that are laid out upright for a sink, because the layer
    /// has a size or the sink requests it (`VideoSink.appliesPreferredTrackTransform`), and frames that are converted
    /// to RGB for a sink.
    case auto
    /// All frames are mapped.
    case forceSDR
    /// No frame is mapped. Frames keep the colors of the source.
    case matchSource

    /// Returns whether a frame of the given format has to be mapped.
    ///
    /// - Parameters:
    ///   - format: The format of the frame.
    ///   - isForDisplay: Whether the frame is meant to be displayed.
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
    /// A Boolean value that indicates high dynamic range: PQ (SMPTE ST 2084) or HLG (ARIB STD-B67), both part of
    /// ITU-R BT.2100.
    public var isHDR: Bool { transfer == "smpte2084" || transfer == "arib-std-b67" }
}

extension PixelFormat {
    /// A Boolean value that indicates whether the format stores red, green and blue, or a palette, judged by FFmpeg's
    /// names.
    package var isRGB: Bool {
        let starts = ["rgb", "bgr", "gbr", "argb", "abgr", "0rgb", "0bgr", "x2rgb", "x2bgr", "pal8"]
        return starts.contains { rawValue.hasPrefix($0) }
    }
    /// A Boolean value that indicates whether the format stores transparency, also in a palette, judged by FFmpeg's
    /// names.
    package var hasAlpha: Bool {
        let starts = ["yuva", "rgba", "bgra", "argb", "abgr", "gbrap", "ya8", "ya16", "ayuv", "vuya", "pal8"]
        return starts.contains { rawValue.hasPrefix($0) }
    }
}

extension [PixelFormat] {
    /// Returns the format that frames are converted to: their own if the array contains it, otherwise the first one, or
    /// for frames with alpha the first one with alpha, if there is one. Nil if the array is empty.
    ///
    /// - Parameter source: The pixel format of the frames.
    package func preferred(for source: PixelFormat) -> PixelFormat? {
        if contains(source) { return source }
        return (source.hasAlpha ? first { $0.hasAlpha } : nil) ?? first
    }
}
