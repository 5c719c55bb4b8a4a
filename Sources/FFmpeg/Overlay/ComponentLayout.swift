internal import CFFmpeg
internal import MediaCore

/// The position of the components of a pixel format in memory: for formats whose components are whole bytes, or two
/// little-endian bytes.
struct ComponentLayout {
    struct Component {
        /// The kind of values.
        enum Kind: Equatable { case red, green, blue, luma, blueDifference, redDifference, alpha }

        let kind: Kind
        let plane: Int
        /// The distance between samples and the position of the first one, in bytes.
        let step: Int
        let offset: Int
        /// The bits of a sample that are not used, below the value.
        let shift: Int
        let depth: Int
        /// The binary logarithms of the number of pixels that a sample covers.
        let shiftX: Int
        let shiftY: Int

        var isWide: Bool { depth + shift > 8 }
        /// The bytes of the first sample.
        var bytes: Range<Int> { offset..<offset + (isWide ? 2 : 1) }
        var maximum: Float { Float((1 << depth) - 1) }
    }

    /// The components; alpha is the last one.
    let components: [Component]

    /// Returns nil for palettes, bit fields, floating point, big-endian samples, and samples at irregular distances.
    init?(_ format: AVPixelFormat) {
        guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else { return nil }
        let refused =
            AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER
            | AV_PIX_FMT_FLAG_FLOAT
        guard descriptor.flags & UInt64(refused) == 0 else { return nil }
        let count = Int(descriptor.nb_components)
        let hasAlpha = PixelFormats.hasAlpha(format)
        let isRGB = PixelFormats.isRGB(format)
        let colors: [Component.Kind] =
            isRGB ? [.red, .green, .blue] : [.luma, .blueDifference, .redDifference]
        let kinds = Array(colors.prefix(count - (hasAlpha ? 1 : 0))) + (hasAlpha ? [.alpha] : [])
        guard kinds.count == count else { return nil }
        components = withUnsafeBytes(of: descriptor.comp) { raw in
            zip(kinds, raw.bindMemory(to: AVComponentDescriptor.self)).map { kind, component in
                let isChroma = kind == .blueDifference || kind == .redDifference
                return Component(
                    kind: kind,
                    plane: Int(component.plane),
                    step: Int(component.step),
                    offset: Int(component.offset),
                    shift: Int(component.shift),
                    depth: Int(component.depth),
                    shiftX: isChroma ? Int(descriptor.log2_chroma_w) : 0,
                    shiftY: isChroma ? Int(descriptor.log2_chroma_h) : 0
                )
            }
        }
        let isBigEndian = descriptor.flags & UInt64(AV_PIX_FMT_FLAG_BE) != 0
        let isUsable = components.allSatisfy {
            $0.depth >= 8 && $0.depth + $0.shift <= 16 && $0.step >= ($0.isWide ? 2 : 1)
                && !($0.isWide && isBigEndian)
        }
        guard isUsable, Self.areSeparate(components), Self.areInRows(components, format) else { return nil }
    }

    /// Returns false if components share bytes, as in formats with 10 bits for each color and 2 unused ones.
    private static func areSeparate(_ components: [Component]) -> Bool {
        components.indices.allSatisfy { index in
            components[..<index].allSatisfy {
                $0.plane != components[index].plane || !$0.bytes.overlaps(components[index].bytes)
            }
        }
    }

    /// Returns false if the distance between samples is not the same in the whole row, as in uyyvyy411, where samples
    /// at regular distances would lie outside of it.
    private static func areInRows(_ components: [Component], _ format: AVPixelFormat) -> Bool {
        let width = 64
        return components.allSatisfy { component in
            let last = (width - 1) >> component.shiftX
            let row = Int(av_image_get_linesize(format, Int32(width), Int32(component.plane)))
            return last * component.step + component.bytes.upperBound <= row
        }
    }
}
