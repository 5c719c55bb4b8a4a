internal import CFFmpeg
internal import MediaCore

/// A conversion from high dynamic range to BT.709 in planar 10-bit YUV without chroma subsampling. Each curve is a
/// table that is computed once and used for many frames.
struct ToneMapPass {
    private var map: PHToneMap
    private let light, gain, signal: [Float]

    /// Returns nil if `colors` is not such a conversion. It describes the samples before and after the pass.
    init?(_ colors: ColorConversion) {
        guard let curve = colors.tone,
            let matrix = PHRGBMatrix(tenBits: colors.sourceMatrix, colors.sourceIsFull)
        else { return nil }
        let last = Double(PH_TONE_ENTRIES - 1)
        let entries = 0..<Int32(PH_TONE_ENTRIES)
        light = entries.map { Float(curve.light(Double($0) / last)) }
        gain = entries.map { Float(curve.gain(Double(ph_tone_light($0)))) }
        signal = entries.map { Float(min(ToneCurve.signal(Double(ph_tone_light($0))), 1)) }
        let steps = Float(last) / 255
        let (weights, targetWeights) = (curve.primaries.weights, ColorPrimaries.bt709.weights)
        let rows = curve.primaries.matrix(to: .bt709).map { $0.map(Float.init) }
        // 10-bit values are four times the 8-bit values in both ranges.
        let (luma, chroma): (Double, Double) = colors.sourceIsFull ? (1020, 1020) : (876, 896)
        map = PHToneMap(
            luma: matrix.luma * steps,
            black: matrix.black,
            red_v: matrix.red_v * steps,
            green_u: matrix.green_u * steps,
            green_v: matrix.green_v * steps,
            blue_u: matrix.blue_u * steps,
            weights: (Float(weights.red), Float(weights.green), Float(weights.blue)),
            primaries: (
                rows[0][0], rows[0][1], rows[0][2], rows[1][0], rows[1][1], rows[1][2],
                rows[2][0], rows[2][1], rows[2][2]
            ),
            target_weights: (
                Float(targetWeights.red), Float(targetWeights.green), Float(targetWeights.blue)
            ),
            target_luma: Float(luma),
            target_black: colors.sourceIsFull ? 0 : 64,
            target_blue: Float(chroma / 2 / (1 - targetWeights.blue)),
            target_red: Float(chroma / 2 / (1 - targetWeights.red)),
            light: nil,
            gain: nil,
            signal: nil
        )
    }

    /// Replaces the samples of three planes.
    func run(_ planes: [VideoPlane], _ size: PixelSize) {
        guard planes.count == 3 else { return }
        func samples(_ plane: Int, _ row: Int) -> UnsafeMutablePointer<UInt16> {
            UnsafeMutableRawPointer(mutating: planes[plane].baseAddress + row * planes[plane].bytesPerRow)
                .assumingMemoryBound(to: UInt16.self)
        }
        light.withUnsafeBufferPointer { light in
            gain.withUnsafeBufferPointer { gain in
                signal.withUnsafeBufferPointer { signal in
                    var map = map
                    (map.light, map.gain, map.signal) = (
                        light.baseAddress, gain.baseAddress, signal.baseAddress
                    )
                    for row in 0..<size.height {
                        let count = Int32(clamping: size.width)
                        ph_tone_map(samples(0, row), samples(1, row), samples(2, row), count, &map)
                    }
                }
            }
        }
    }
}
