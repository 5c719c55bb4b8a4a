internal import Glibc
internal import MediaCore

/// The mapping of light from high to standard dynamic range. On both sides 1 is the brightest white.
///
/// PQ specifies the display luminance in candela per square meter. It is mapped by method A of ITU-R BT.2446-1, which
/// is designed for content of 1000 and a display of 100. Content that was graded on a brighter display is first reduced
/// to 1000 by the EETF of ITU-R BT.2390-11. Both are applied to luminance.
///
/// HLG specifies the scene light relative to the brightest, and the display applies the system gamma of ITU-R BT.2100-2
/// and BT.2390-11. For the 300 candela per square meter of a common display that gamma is 1, so the light only has to
/// be encoded again.
struct ToneCurve: Equatable {
    enum Transfer: Equatable {
        /// PQ with the luminance of the brightest white, in candela per square meter.
        case pq(peak: Double)
        case hlg
    }

    let transfer: Transfer
    let primaries: ColorPrimaries

    /// The peak luminance assumed for PQ without metadata, and the highest input of method A.
    static let defaultPeak = 1000.0
    /// The luminance of diffuse white (ITU-R BT.2408). A declared peak below it is raised to it.
    static let diffuseWhite = 203.0
    /// The peak luminance of PQ.
    static let maximumPeak = 10_000.0

    /// Returns nil if the format does not have high dynamic range.
    init?(_ format: VideoFormat) {
        switch format.color.transfer {
        case "smpte2084": transfer = .pq(peak: Self.peak(of: format))
        case "arib-std-b67": transfer = .hlg
        default: return nil
        }
        primaries = ColorPrimaries(format.color.primaries) ?? .bt2020
    }

    /// Returns the lower of the peak luminance of the mastering display and the maximum content light level.
    private static func peak(of format: VideoFormat) -> Double {
        let declaredPeaks = [
            format.masteringDisplay?.luminance?.maximum.doubleValue,
            format.contentLightLevel.map { Double($0.maximum) },
        ].compactMap(\.self)
        // Values below SDR white are errors in the metadata.
        let least = declaredPeaks.filter { $0 >= Self.sdrWhite }.min() ?? defaultPeak
        return min(max(least, diffuseWhite), maximumPeak)
    }

    private static let sdrWhite = 100.0

    /// Returns the light of a sample value in 0...1, before `gain` is applied.
    func light(_ value: Double) -> Double {
        switch transfer {
        case .pq(let peak): PQ.luminance(value) / peak
        case .hlg:
            value <= 0.5
                ? value * value / 3 : (exp((value - Self.hlgC) / Self.hlgA) + Self.hlgB) / 12
        }
    }

    /// The constants of the HLG OETF (ITU-R BT.2100-2, table 5).
    private static let (hlgA, hlgB, hlgC) = (0.178_832_77, 0.284_668_92, 0.559_910_73)

    /// Returns the factor for the light of a pixel with the given luminance.
    func gain(_ luminance: Double) -> Double {
        guard case .pq(let peak) = transfer else { return 1 }
        // Below this luminance the curve is linear for all practical purposes.
        let luminance = max(luminance, 1e-9)
        let limitedPeak = min(peak, Self.defaultPeak)
        let compressedLuminance = Self.compressed(luminance * peak, from: peak, to: limitedPeak)
        return Self.methodA(compressedLuminance / limitedPeak, peak: limitedPeak) / luminance
    }

    /// Returns the SDR signal of a light value: the inverse of the EOTF of ITU-R BT.1886 for a black level of 0.
    static func signal(_ light: Double) -> Double { pow(light, 1 / 2.4) }

    /// Returns the luminance on a display with a lower peak, in candela per square meter, by the EETF of ITU-R
    /// BT.2390-11, 5.4.1, for a black level of 0.
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

    /// Returns the result of method A of ITU-R BT.2446-1, section 4. The input is relative to `peak`, the output to
    /// 100.
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

/// The PQ functions of SMPTE ST 2084 (ITU-R BT.2100-2, table 4). Luminance is in candela per square meter.
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
