internal import CFFmpeg
internal import MediaCore

/// From planar YUV of 10 bits with chroma as fine as luma to four bytes a pixel, for the formats that sinks ask for
/// most: ten times as fast as libswscale, and to the nearest step.
struct FineChromaPass {
    private let matrix: PHRGBMatrix
    private let shiftRed: Int32
    private let shiftBlue: Int32

    /// nil: not to a format that it makes.
    init?(to format: AVPixelFormat, _ colors: ColorConversion) {
        switch format {
        case AV_PIX_FMT_RGBA, AV_PIX_FMT_RGB0: (shiftRed, shiftBlue) = (0, 16)
        case AV_PIX_FMT_BGRA, AV_PIX_FMT_BGR0: (shiftRed, shiftBlue) = (16, 0)
        default: return nil
        }
        guard let matrix = PHRGBMatrix(tenBits: colors.sourceMatrix, colors.sourceIsFull) else { return nil }
        self.matrix = matrix
    }

    /// Three planes into one.
    func run(_ source: [VideoPlane], _ target: [VideoPlane], _ size: PixelSize) {
        guard source.count == 3, let pixels = target.first else { return }
        func samples(_ plane: Int, _ row: Int) -> UnsafePointer<UInt16> {
            (source[plane].baseAddress + row * source[plane].bytesPerRow).assumingMemoryBound(to: UInt16.self)
        }
        for row in 0..<size.height {
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
    /// From samples of 10 bits to steps of 8. `matrix`: as libswscale numbers them.
    init?(tenBits matrix: Int32, _ isFull: Bool) {
        // Of red by V, blue by U, green by U and V: for the limited range of chroma, in 65536ths.
        guard let weights = sws_getCoefficients(matrix) else { return nil }
        // 10 bits are four times the 8 bits of both ranges.
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
