internal import CFFmpeg
internal import MediaCore

/// A conversion from planar 10-bit YUV without chroma subsampling to the formats that sinks request most: four bytes per
/// pixel, and planar floating point. It is ten times as fast as libswscale and rounds to the nearest value.
struct FineChromaPass {
    private let matrix: PHRGBMatrix
    private let isFloat: Bool
    private let shiftRed: Int32
    private let shiftBlue: Int32

    /// Returns nil if the target format is not supported.
    init?(to format: AVPixelFormat, _ colors: ColorConversion) {
        switch format {
        case AV_PIX_FMT_RGBA, AV_PIX_FMT_RGB0: (shiftRed, shiftBlue) = (0, 16)
        case AV_PIX_FMT_BGRA, AV_PIX_FMT_BGR0: (shiftRed, shiftBlue) = (16, 0)
        case AV_PIX_FMT_GBRPF32LE, AV_PIX_FMT_GBRPF32BE: (shiftRed, shiftBlue) = (0, 0)
        default: return nil
        }
        isFloat = PixelFormats.depth(format) == 32
        guard let matrix = PHRGBMatrix(tenBits: colors.sourceMatrix, colors.sourceIsFull) else { return nil }
        self.matrix = matrix
    }

    /// Converts three planes to one, or to three.
    func run(_ source: [VideoPlane], _ target: [VideoPlane], _ size: PixelSize) {
        guard source.count == 3, target.count == (isFloat ? 3 : 1), let pixels = target.first else { return }
        func samples(_ plane: Int, _ row: Int) -> UnsafePointer<UInt16> {
            (source[plane].baseAddress + row * source[plane].bytesPerRow).assumingMemoryBound(to: UInt16.self)
        }
        func floats(_ plane: Int, _ row: Int) -> UnsafeMutablePointer<Float> {
            (UnsafeMutableRawPointer(mutating: target[plane].baseAddress) + row * target[plane].bytesPerRow)
                .assumingMemoryBound(to: Float.self)
        }
        for row in 0..<size.height {
            if isFloat {
                // The planes are green, blue, red.
                ph_floats_from_yuv444p10(
                    samples(0, row),
                    samples(1, row),
                    samples(2, row),
                    floats(2, row),
                    floats(0, row),
                    floats(1, row),
                    Int32(clamping: size.width),
                    matrix
                )
                continue
            }
            let start = UnsafeMutableRawPointer(mutating: pixels.baseAddress) + row * pixels.bytesPerRow
            ph_pixels_from_yuv444p10(
                samples(0, row),
                samples(1, row),
                samples(2, row),
                start.assumingMemoryBound(to: UInt32.self),
                Int32(clamping: size.width),
                matrix,
                shiftRed,
                shiftBlue
            )
        }
    }
}

extension PHRGBMatrix {
    /// Creates the conversion from 10-bit samples to 8-bit values. `matrix` is a number of libswscale.
    init?(tenBits matrix: Int32, _ isFull: Bool) {
        // The coefficients are red by V, blue by U, green by U and green by V, for the limited range of chroma, in
        // 65536ths.
        guard let weights = sws_getCoefficients(matrix) else { return nil }
        // 10-bit values are four times the 8-bit values in both ranges.
        let chroma: Float = (isFull ? 224.0 / 255 : 1) / 65_536 / 4
        self.init(
            luma: (isFull ? 1 : 255.0 / 219) / 4,
            black: isFull ? 0 : 64,
            red_v: Float(weights[0]) * chroma,
            green_u: -Float(weights[2]) * chroma,
            green_v: -Float(weights[3]) * chroma,
            blue_u: Float(weights[1]) * chroma
        )
    }
}
