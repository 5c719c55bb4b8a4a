internal import Glibc
internal import MediaCore

/// How light of high dynamic range becomes light of the standard one. 1 stands for the brightest white on both sides.
///
/// PQ says how bright the display is to be, in candela per square metre. It is mapped by ITU-R BT.2446-1, method A, which is
/// made for pictures of 1000 and a screen of 100; what was graded on a brighter display is first brought to 1000 as such
/// a display does it, by the EETF of ITU-R BT.2390-11. Both are applied to luminance.
///
/// HLG says what share of the brightest light a camera saw, and leaves it to the display to make the best of it: by the
/// system gamma of ITU-R BT.2100-2 and BT.2390-11. For the 300 candela per square metre of a common screen that gamma is 1, so
/// nothing is left but to encode that light anew.
struct ToneCurve: Equatable {
    enum Transfer: Equatable {
        /// Candela per square metre of the brightest white.
        case pq(peak: Double)
        case hlg
    }

    let transfer: Transfer
    let primaries: ColorPrimaries

    /// What method A begins with, at most, and what PQ means where nothing is said of its display.
    static let defaultPeak = 1000.0
    /// White of what is lit as usual (ITU-R BT.2408): who says that nothing is brighter is not believed below that.
    static let diffuseWhite = 203.0
    /// Of PQ.
    static let maximumPeak = 10_000.0

    /// nil: not of high dynamic range.
    init?(_ format: VideoFormat) {
        switch format.color.transfer {
        case "smpte2084": transfer = .pq(peak: Self.peak(of: format))
        case "arib-std-b67": transfer = .hlg
        default: return nil
        }
        primaries = ColorPrimaries(format.color.primaries) ?? .bt2020
    }

    /// The brightest that the display was, or that any pixel is, whichever is less.
    private static func peak(of format: VideoFormat) -> Double {
        let declaredPeaks = [
            format.masteringDisplay?.luminance?.maximum.doubleValue,
            format.contentLightLevel.map { Double($0.maximum) },
        ].compactMap(\.self)
        // Below the white of SDR nobody grades: such numbers are mistakes.
        let least = declaredPeaks.filter { $0 >= Self.sdrWhite }.min() ?? defaultPeak
        return min(max(least, diffuseWhite), maximumPeak)
    }

    private static let sdrWhite = 100.0

    /// Of a sample value of 0...1, before `gain`.
    func light(_ value: Double) -> Double {
        switch transfer {
        case .pq(let peak): PQ.luminance(value) / peak
        case .hlg:
            value <= 0.5
                ? value * value / 3 : (exp((value - Self.hlgC) / Self.hlgA) + Self.hlgB) / 12
        }
    }

    /// ITU-R BT.2100-2, table 5: of HLG's OETF.
    private static let (hlgA, hlgB, hlgC) = (0.178_832_77, 0.284_668_92, 0.559_910_73)

    /// What the light of a pixel of that luminance is multiplied with.
    func gain(_ luminance: Double) -> Double {
        guard case .pq(let peak) = transfer else { return 1 }
        // Where the curve is straight, as far as any screen shows.
        let luminance = max(luminance, 1e-9)
        let limitedPeak = min(peak, Self.defaultPeak)
        let compressedLuminance = Self.compressed(luminance * peak, from: peak, to: limitedPeak)
        return Self.methodA(compressedLuminance / limitedPeak, peak: limitedPeak) / luminance
    }

    /// As SDR is encoded: the inverse of the EOTF of ITU-R BT.1886 for a black of 0.
    static func signal(_ light: Double) -> Double { pow(light, 1 / 2.4) }

    /// ITU-R BT.2390-11, 5.4.1, for a black of 0: candela per square metre as a display with less of them shows them.
    private static func compressed(_ luminance: Double, from peak: Double, to target: Double) -> Double {
        guard target < peak else { return luminance }
        let whole = PQ.signal(peak)
        let value = min(PQ.signal(luminance) / whole, 1)
        let most = PQ.signal(target) / whole
        let knee = 1.5 * most - 0.5
        guard value > knee else { return luminance }
        let t = (value - knee) / (1 - knee)
        let (square, cube) = (t * t, t * t * t)
        let mapped =
            (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee)
            + (3 * square - 2 * cube) * most
        return PQ.luminance(mapped * whole)
    }

    /// ITU-R BT.2446-1, section 4: the tone mapping of method A, from shares of `peak` to shares of 100.
    private static func methodA(_ luminance: Double, peak: Double) -> Double {
        let source = 1 + 32 * pow(peak / 10_000, 1 / 2.4)
        let target = 1 + 32 * pow(100.0 / 10_000, 1 / 2.4)
        let value = log(1 + (source - 1) * signal(min(luminance, 1))) / log(source)
        let mapped =
            value <= 0.7399
            ? 1.0770 * value
            : value < 0.9909 ? -1.1510 * value * value + 2.7811 * value - 0.6302 : 0.5 * value + 0.5
        return pow((pow(target, mapped) - 1) / (target - 1), 2.4)
    }
}

/// The PQ of SMPTE ST 2084, as ITU-R BT.2100-2 has it in table 4; luminance in candela per square metre.
private enum PQ {
    private static let (m1, m2) = (2610.0 / 16_384, 2523.0 / 4096 * 128)
    private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

    static func luminance(_ signal: Double) -> Double {
        let root = pow(signal, 1 / m2)
        return 10_000 * pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
    }

    static func signal(_ luminance: Double) -> Double {
        let power = pow(max(luminance, 0) / 10_000, m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }
}
