internal import CFFmpeg
internal import MediaCore

/// The matrix, range and chroma siting of the source and the target of a conversion.
struct ColorConversion: Equatable {
    var sourceMatrix: Int32
    var sourceIsFull: Bool
    var targetMatrix: Int32
    var targetIsFull: Bool
    private(set) var sourceChroma: ChromaSiting
    private(set) var targetChroma: ChromaSiting
    private let targetLocation: String?
    private let targetIsRGB: Bool
    private let sourceIsRGB: Bool
    /// Whether the target is gray and the source is not.
    private let becomesGray: Bool
    /// Whether the format of the source implies full range, and that of the target does not.
    private let losesImpliedRange: Bool
    /// The tone curve that maps high dynamic range to BT.709, or nil if tones are not mapped.
    private(set) var tone: ToneCurve?

    /// Creates a conversion that keeps the matrix and the range of a frame. RGB has no matrix and always has full
    /// range. If the stream does not declare a matrix, it is BT.2020 for high dynamic range, else BT.709 above 576
    /// lines and BT.601 below. With `toSDR`, opaque frames with high dynamic range are mapped to BT.709.
    init(_ format: VideoFormat, from: AVPixelFormat, to: AVPixelFormat, toSDR: Bool = false) {
        sourceIsRGB = PixelFormats.isRGB(from)
        targetIsRGB = PixelFormats.isRGB(to)
        becomesGray = PixelFormats.isGray(to) && !targetIsRGB && !PixelFormats.isGray(from)
        losesImpliedRange = ColorNames.isFullRangeByName(from) && !ColorNames.isFullRangeByName(to)
        tone = toSDR && !PixelFormats.hasAlpha(from) ? ToneCurve(format) : nil
        let matrix = Self.matrix(of: format)
        sourceMatrix = matrix
        targetMatrix = tone == nil ? matrix : SWS_CS_ITU709
        let isFull = format.color.isFullRange ?? ColorNames.isFullRangeByName(from)
        sourceIsFull = isFull || sourceIsRGB
        targetIsFull = targetIsRGB || ColorNames.isFullRangeByName(to) || (isFull && !sourceIsRGB)
        targetLocation = ChromaSiting.location(of: format.color.chromaLocation, from: from, to: to)
        sourceChroma = ChromaSiting(format.color.chromaLocation, in: from)
        targetChroma = ChromaSiting(targetLocation, in: to)
    }

    /// The conversion from full-range RGB to the target of this conversion.
    var fromRGB: ColorConversion {
        var result = self
        result.tone = nil
        result.sourceMatrix = targetMatrix
        result.sourceIsFull = true
        result.sourceChroma = ChromaSiting()
        return result
    }

    /// The conversion to YUV with the source's matrix and range, without chroma subsampling.
    var toFineChroma: ColorConversion {
        var result = self
        (result.targetMatrix, result.targetIsFull) = (sourceMatrix, sourceIsFull)
        result.targetChroma = ChromaSiting()
        return result
    }

    /// The conversion from the result of `toFineChroma`, including its tone mapping, to the target.
    var fromFineChroma: ColorConversion {
        var result = self
        if tone != nil { (result.sourceMatrix, result.tone) = (targetMatrix, nil) }
        result.sourceChroma = ChromaSiting()
        return result
    }

    /// Returns the conversion with the colors of JFIF and WebP, which cannot declare others: the matrix of BT.601, with
    /// centered chroma.
    func inImageFile(_ format: AVPixelFormat, isFull: Bool) -> ColorConversion {
        var result = self
        result.targetMatrix = SWS_CS_ITU601
        result.targetIsFull = isFull
        result.targetChroma = ChromaSiting("center", in: format)
        return result
    }

    /// Updates the format of a converted frame, which has its new size already.
    func describe(_ format: inout VideoFormat) {
        // Metadata about high dynamic range does not apply to the mapped frame.
        if tone != nil { (format.masteringDisplay, format.contentLightLevel) = (nil, nil) }
        describe(&format.color)
        if !targetIsRGB { Self.declare(targetMatrix, in: &format) }
    }

    /// Updates the format of a frame that has the samples of another one in another order.
    static func keepMatrix(of original: VideoFormat, in format: inout VideoFormat) {
        guard !PixelFormats.isRGB(av_get_pix_fmt(format.pixelFormat.rawValue)) else { return }
        declare(matrix(of: original), in: &format)
    }

    /// Declares the matrix of the samples, if there is no declaration and the size of the frame would lead to another
    /// matrix.
    private static func declare(_ matrix: Int32, in format: inout VideoFormat) {
        guard format.color.matrix == nil, self.matrix(of: format) != matrix else { return }
        format.color.matrix = name(matrix)
    }

    /// Returns the declared matrix, or the one that is used without a declaration.
    private static func matrix(of format: VideoFormat) -> Int32 {
        switch format.color.matrix {
        case "bt709": SWS_CS_ITU709
        case "fcc": SWS_CS_FCC
        case "bt470bg", "smpte170m": SWS_CS_ITU601
        case "smpte240m": SWS_CS_SMPTE240M
        case "bt2020nc", "bt2020c": SWS_CS_BT2020
        default:
            format.color.isHDR
                ? SWS_CS_BT2020 : format.size.height > 576 ? SWS_CS_ITU709 : SWS_CS_ITU601
        }
    }

    private static func name(_ matrix: Int32) -> String {
        switch matrix {
        case SWS_CS_ITU709: "bt709"
        case SWS_CS_BT2020: "bt2020nc"
        default: "smpte170m"
        }
    }

    private func describe(_ color: inout ColorDescription) {
        if tone != nil { (color.primaries, color.transfer, color.matrix) = ("bt709", "bt709", "bt709") }
        if targetIsRGB {
            color.matrix = "gbr"
            color.isFullRange = true
        } else {
            if sourceIsRGB { color.matrix = Self.name(targetMatrix) }
            // Gray without a declared range would be that of images, unlike the YUV that it was made of.
            let isUndeclared = sourceIsRGB || becomesGray || losesImpliedRange
            if isUndeclared || targetIsFull != sourceIsFull { color.isFullRange = targetIsFull }
        }
        color.chromaLocation = targetLocation
    }
}
