import Foundation
import MediaCore
import PlayheadBackend
import Testing

@testable import FFmpeg

/// A 10-bit frame without chroma subsampling, with R'G'B' values that a test has chosen.
private struct HDRTestImage {
    var transfer = "smpte2084"
    var primaries: String? = "bt2020"
    var isFull = false
    var peak: Int32?
    var maximumLight: Int?
    /// The rows of R'G'B' values in 0...1.
    let rows: [[SIMD3<Double>]]

    /// The R'G'B' values after the samples have been rounded.
    private(set) var quantized: [[SIMD3<Double>]] = []
    private var samples: [[UInt16]] = [[], [], []]
    private var size: PixelSize { PixelSize(width: rows[0].count, height: rows.count) }

    init(_ transfer: String, isFull: Bool = false, _ rows: [[SIMD3<Double>]]) {
        (self.transfer, self.isFull, self.rows) = (transfer, isFull, rows)
        let (black, luma, chroma) = isFull ? (0.0, 1020.0, 1020.0) : (64.0, 876.0, 896.0)
        for row in rows {
            var line: [SIMD3<Double>] = []
            for rgb in row {
                let light = 0.2627 * rgb.x + 0.6780 * rgb.y + 0.0593 * rgb.z
                let parts = [
                    black + luma * light, 512 + chroma * (rgb.z - light) / 1.8814,
                    512 + chroma * (rgb.x - light) / 1.4746,
                ].map { min(max($0.rounded(), 0), 1023) }
                for (plane, part) in parts.enumerated() { samples[plane].append(UInt16(part)) }
                let y = (parts[0] - black) / luma
                let b = y + 1.8814 * (parts[1] - 512) / chroma
                let r = y + 1.4746 * (parts[2] - 512) / chroma
                let g = (y - 0.2627 * r - 0.0593 * b) / 0.6780
                line.append(SIMD3(r, g, b).clamped(lowerBound: .zero, upperBound: .one))
            }
            quantized.append(line)
        }
    }

    var frame: VideoFrame {
        VideoFrame(
            format: VideoFormat(
                pixelFormat: PixelFormat(rawValue: "yuv444p10le"),
                size: size,
                color: ColorDescription(
                    primaries: primaries,
                    transfer: transfer,
                    matrix: "bt2020nc",
                    isFullRange: isFull
                ),
                masteringDisplay: peak.map {
                    MasteringDisplay(
                        luminance: MasteringDisplay.Luminance(
                            minimum: Rational(0, 1),
                            maximum: Rational($0, 1)
                        )
                    )
                },
                contentLightLevel: maximumLight.map {
                    ContentLightLevel(maximum: $0, maximumFrameAverage: 0)
                }
            ),
            presentationTime: MediaTime(value: 7, timescale: 3),
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: 7, timeBase: Rational(1, 3)),
            storage: PlainFrame(
                planes: samples.map { plane in plane.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } },
                strides: [size.width * 2, size.width * 2, size.width * 2],
                used: [size.width * 2, size.width * 2, size.width * 2]
            )
        )
    }

    static func gray(_ transfer: String, _ values: [Double]) -> HDRTestImage {
        HDRTestImage(transfer, [values.map { SIMD3(repeating: $0) }])
    }
}

/// The tone mapping of the recommendations, computed for each pixel without tables.
private enum Naive {
    static func pqToLight(_ value: Double) -> Double {
        let power = pow(value, 1 / 78.84375)
        return 10_000 * pow(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
    }

    static func lightToPQ(_ light: Double) -> Double {
        let power = pow(max(light, 0) / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    /// Returns the result of BT.2390's EETF from `peak` to 1000.
    static func eetf(_ light: Double, _ peak: Double) -> Double {
        if peak <= 1000 { return light }
        let e1 = min(lightToPQ(light) / lightToPQ(peak), 1)
        let maxLum = lightToPQ(1000) / lightToPQ(peak)
        let ks = 1.5 * maxLum - 0.5
        if e1 < ks { return light }
        let t = (e1 - ks) / (1 - ks)
        let p =
            (2 * pow(t, 3) - 3 * pow(t, 2) + 1) * ks + (pow(t, 3) - 2 * pow(t, 2) + t) * (1 - ks)
            + (-2 * pow(t, 3) + 3 * pow(t, 2)) * maxLum
        return pqToLight(p * lightToPQ(peak))
    }

    /// Returns the result of BT.2446's method A for luma in 0...1.
    static func methodA(_ luma: Double, _ peak: Double) -> Double {
        let rhoHDR = 1 + 32 * pow(peak / 10_000, 1 / 2.4)
        let rhoSDR = 1 + 32 * pow(100.0 / 10_000, 1 / 2.4)
        let p = log(1 + (rhoHDR - 1) * luma) / log(rhoHDR)
        let c = p <= 0.7399 ? 1.077 * p : p < 0.9909 ? -1.151 * p * p + 2.7811 * p - 0.6302 : 0.5 * p + 0.5
        return (pow(rhoSDR, c) - 1) / (rhoSDR - 1)
    }

    static func linear(_ value: SIMD3<Double>, _ transfer: String, _ peak: Double) -> SIMD3<Double> {
        if transfer == "arib-std-b67" {
            return SIMD3(value.x, value.y, value.z).map {
                $0 <= 0.5 ? $0 * $0 / 3 : (exp(($0 - 0.55991073) / 0.17883277) + 0.28466892) / 12
            }
        }
        let light = value.map(pqToLight)
        let luminance = 0.2627 * light.x + 0.6780 * light.y + 0.0593 * light.z
        guard luminance > 0 else { return .zero }
        let least = min(peak, 1000)
        let held = min(eetf(luminance, peak) / least, 1)
        return light / luminance * pow(methodA(pow(held, 1 / 2.4), least), 2.4)
    }

    /// Returns the BT.709 R'G'B' values in 0...1.
    static func map(
        _ value: SIMD3<Double>,
        _ transfer: String,
        peak: Double = 1000,
        isWide: Bool = true
    ) -> SIMD3<Double> {
        let wide = linear(value, transfer, peak)
        // Colors are converted by BT.2087. Colors outside of BT.709 are desaturated (BT.2407).
        let rgb =
            !isWide
            ? wide
            : SIMD3(
                1.660491 * wide.x - 0.587641 * wide.y - 0.072850 * wide.z,
                -0.124550 * wide.x + 1.132900 * wide.y - 0.008349 * wide.z,
                -0.018151 * wide.x - 0.100579 * wide.y + 1.118730 * wide.z
            )
        let gray = min(max(0.2126 * rgb.x + 0.7152 * rgb.y + 0.0722 * rgb.z, 0), 1)
        var share = 1.0
        if rgb.min() < 0 { share = min(share, gray / (gray - rgb.min())) }
        if rgb.max() > 1 { share = min(share, (1 - gray) / (rgb.max() - gray)) }
        let inside = (SIMD3(repeating: gray) + (rgb - gray) * share).clamped(
            lowerBound: .zero,
            upperBound: .one
        )
        return inside.map { pow($0, 1 / 2.4) }
    }
}

extension SIMD3<Double> {
    fileprivate func map(_ body: (Double) -> Double) -> SIMD3 { SIMD3(body(x), body(y), body(z)) }
}

// Rule: tone-mapping
@Suite("HDR to SDR")
struct ToneMapTests {
    private static let transfers = ["smpte2084", "arib-std-b67"]

    /// Colors of all kinds: 9 steps of each component.
    private static let cube: [[SIMD3<Double>]] = (0..<9).map { red in
        (0..<81).map { (index: Int) -> SIMD3<Double> in
            SIMD3(Double(red), Double(index / 9), Double(index % 9)) / 8
        }
    }

    private func toSDR(_ frame: VideoFrame, _ format: PixelFormat = .rgba) throws -> VideoFrame {
        try FFmpegVideoConverter().convertToSDR(frame, to: format, geometry: nil, background: .clear)
    }

    /// Returns the red, green and blue values of each pixel, row by row.
    private func pixels(_ frame: VideoFrame) -> [SIMD3<Double>] {
        let bytes = packedBytes(of: frame)
        return stride(from: 0, to: bytes.count, by: 4).map { (start: Int) -> SIMD3<Double> in
            let (red, green, blue) = (bytes[start], bytes[start + 1], bytes[start + 2])
            return SIMD3(Double(red), Double(green), Double(blue))
        }
    }

    private func grays(_ image: HDRTestImage) throws -> [Double] { try pixels(toSDR(image.frame)).map(\.x) }

    /// Compares colors. The intermediate 10-bit samples lose a step. Colors outside of BT.709 are moved towards grey
    /// until they are inside; the last digit of their light then counts twice. Near black it corresponds to many steps
    /// of the signal.
    private func compare(
        _ made: [SIMD3<Double>],
        _ expected: [SIMD3<Double>],
        _ image: HDRTestImage,
        location: SourceLocation = #_sourceLocation
    ) {
        for (quantized, (made, expected)) in zip(image.quantized.flatMap(\.self), zip(made, expected)) {
            let isAtEdge = expected.min() < 0.1 || expected.max() > 254.9
            let isNear = (0..<3).allSatisfy { part in
                abs(made[part] - expected[part]) <= (isAtEdge ? 3 : 1.5)
                    || made[part] <= 12 && expected[part] <= 12
            }
            #expect(isNear, "\(quantized): \(made), not \(expected)", sourceLocation: location)
        }
    }

    @Test(
        "Each color is mapped as the recommendations specify, within one and a half 8-bit steps",
        arguments: transfers,
        [false, true]
    )
    func colors(_ transfer: String, _ isFull: Bool) throws {
        let image = HDRTestImage(transfer, isFull: isFull, Self.cube)
        let made = try pixels(toSDR(image.frame))
        let expected = image.quantized.flatMap(\.self).map { Naive.map($0, transfer) * 255 }
        try #require(made.count == expected.count && made.count == 729)
        compare(made, expected, image)
    }

    @Test(
        "PQ is mapped from the peak that the stream declares",
        arguments: [203, 500, 1000, 2000, 4000, 10_000]
    )
    func peaks(_ peak: Int32) throws {
        var image = HDRTestImage("smpte2084", Self.cube)
        image.peak = peak
        let made = try pixels(toSDR(image.frame))
        let expected = image.quantized.flatMap(\.self).map {
            Naive.map($0, "smpte2084", peak: Double(peak)) * 255
        }
        compare(made, expected, image)
    }

    @Test("The lower of the display's peak and the brightest pixel applies; implausible values are ignored")
    func toldPeaks() throws {
        func made(_ peak: Int32?, _ light: Int?) throws -> [Double] {
            var image = HDRTestImage.gray("smpte2084", (0...64).map { Double($0) / 64 })
            (image.peak, image.maximumLight) = (peak, light)
            return try grays(image)
        }
        let usual = try made(1000, nil)
        #expect(try made(nil, nil) == usual)
        #expect(try made(nil, 1000) == usual)
        #expect(try made(4000, 1000) == usual)
        #expect(try made(1000, 4000) == usual)
        #expect(try made(1000, 0) == usual)
        #expect(try made(1, 3) == usual)
        #expect(try made(0, nil) == usual)
        #expect(try made(120, nil) == made(203, nil))
        #expect(try made(65_000, nil) == made(10_000, nil))
        #expect(try made(4000, nil) != usual)
    }

    /// The levels are typical of HDR10 films: white at 203, lamps and skies above it.
    @Test(
        "Highlights are distinguishable up to the peak, and the order of brightness is kept",
        arguments: [1000, 4000]
    )
    func highlights(_ peak: Int32) throws {
        let lights = [0, 0.1, 1, 5, 26, 100, 203, 400, 600, 800, 1000]
        var image = HDRTestImage.gray("smpte2084", lights.map(Naive.lightToPQ))
        image.peak = peak
        let made = try grays(image)
        for (darker, brighter) in zip(made, made.dropFirst()) { #expect(brighter >= darker + 2) }
        #expect(made[0] == 0)
        // Paper white is well above the middle and leaves headroom.
        #expect((165...185).contains(made[6]))
        #expect(peak > 1000 ? made[10] < 250 : made[10] == 255)
        var whites = HDRTestImage.gray("smpte2084", [Double(peak), 10_000].map(Naive.lightToPQ))
        whites.peak = peak
        #expect(try grays(whites) == [255, 255])
    }

    @Test(
        "HLG uses the whole range: its peak is white, 75 % is just above the middle, and each step is visible"
    )
    func hlg() throws {
        let made = try grays(.gray("arib-std-b67", (0...20).map { Double($0) / 20 }))
        #expect(made.first == 0 && made.last == 255)
        // This is 0.265 of the light to the power of 1 / 2.4.
        #expect(abs(made[15] - 146.6) <= 1)
        for (darker, brighter) in zip(made, made.dropFirst()) { #expect(brighter > darker) }
    }

    @Test("Grey stays grey", arguments: transfers)
    func neutral(_ transfer: String) throws {
        let image = HDRTestImage.gray(transfer, (0...200).map { Double($0) / 200 })
        for pixel in try pixels(toSDR(image.frame)) { #expect(pixel.max() - pixel.min() <= 1) }
    }

    @Test("Declared primaries are used, and SDR primaries are not converted")
    func primaries() throws {
        var image = HDRTestImage("arib-std-b67", Self.cube)
        image.primaries = "bt709"
        let made = try pixels(toSDR(image.frame))
        let expected = image.quantized.flatMap(\.self).map {
            Naive.map($0, "arib-std-b67", isWide: false) * 255
        }
        compare(made, expected, image)
    }

    @Test("The format describes the result, in YUV and in RGB", arguments: transfers)
    func format(_ transfer: String) throws {
        var image = HDRTestImage(transfer, Self.cube)
        (image.peak, image.maximumLight) = (1000, 900)
        let frame = image.frame
        let rgb = try toSDR(frame)
        #expect(
            rgb.format.color
                == ColorDescription(
                    primaries: "bt709",
                    transfer: "bt709",
                    matrix: "gbr",
                    isFullRange: true
                )
        )
        #expect(rgb.format.masteringDisplay == nil && rgb.format.contentLightLevel == nil)
        #expect(rgb.size == frame.size && rgb.presentationTime == frame.presentationTime)
        let yuv = try toSDR(frame, .yuv420p10le)
        #expect(yuv.format.color.primaries == "bt709" && yuv.format.color.transfer == "bt709")
        #expect(yuv.format.color.matrix == "bt709" && yuv.format.color.isFullRange == false)
        // A mapped frame is not mapped again.
        #expect(try toSDR(yuv, .yuv420p10le).storage === yuv.storage)
    }

    @Test("SDR as YUV shows the same colors as SDR as RGB", arguments: transfers, [false, true])
    func viaYUV(_ transfer: String, _ isFull: Bool) throws {
        let frame = HDRTestImage(transfer, isFull: isFull, Self.cube).frame
        let fine = try toSDR(frame, PixelFormat(rawValue: "yuv444p10le"))
        let again = try FFmpegVideoConverter().convert(fine, to: .rgba, size: fine.size)
        for (one, other) in zip(pixels(again), pixels(try toSDR(frame))) {
            #expect((one - other).map(abs).max() <= 1)
        }
    }

    @Test("SDR frames, and frames with alpha, are converted without tone mapping")
    func others() throws {
        let converter = FFmpegVideoConverter()
        var plain = HDRTestImage("bt709", Self.cube).frame
        let mapped = try toSDR(plain)
        let kept = try converter.convert(plain, to: .rgba, size: plain.size)
        #expect(packedBytes(of: mapped) == packedBytes(of: kept) && mapped.format == kept.format)
        #expect(try toSDR(plain, plain.pixelFormat).storage === plain.storage)
        plain.format.color.transfer = "smpte2084"
        let alpha = try converter.convert(
            plain,
            to: PixelFormat(rawValue: "yuva444p10le"),
            size: plain.size
        )
        #expect(try toSDR(alpha).format.color.transfer == "smpte2084")
    }

    @Test("RGB with high dynamic range is mapped like YUV")
    func fromRGB() throws {
        let frame = HDRTestImage("smpte2084", isFull: true, Self.cube).frame
        let rgb = try FFmpegVideoConverter().convert(
            frame,
            to: PixelFormat(rawValue: "gbrp10le"),
            size: frame.size
        )
        #expect(rgb.format.color.transfer == "smpte2084")
        for (one, other) in zip(pixels(try toSDR(rgb)), pixels(try toSDR(frame))) {
            #expect((one - other).map(abs).max() <= 4)
        }
    }

    @Test("A frame is mapped while it is scaled and rotated, and its bars keep their color")
    func laidOut() throws {
        let size = PixelSize(width: 64, height: 36)
        let row = [SIMD3<Double>](repeating: SIMD3(0.6, 0.4, 0.2), count: size.width)
        var frame = HDRTestImage("smpte2084", [[SIMD3<Double>]](repeating: row, count: size.height)).frame
        let expected = Naive.map(SIMD3(0.6, 0.4, 0.2), "smpte2084") * 255
        for rotation in Rotation.allCases {
            frame.format.rotation = rotation
            for target in [size, PixelSize(width: 36, height: 64), PixelSize(width: 100, height: 100)] {
                let geometry = VideoGeometry(frame.format.shape, gravity: .resizeAspect, target: target)
                for format in [PixelFormat.rgba, PixelFormat(rawValue: "yuv444p10le")] {
                    var made = try FFmpegVideoConverter().convertToSDR(
                        frame,
                        to: format,
                        geometry: geometry,
                        background: .white
                    )
                    #expect(made.format.color.transfer == "bt709" && made.size == target)
                    made = try FFmpegVideoConverter().convert(made, to: .rgba, size: target)
                    let pixels = pixels(made)
                    let rect = geometry.destination
                    for y in 0..<target.height {
                        for x in 0..<target.width {
                            let isInside =
                                (rect.x..<(rect.x + rect.width)).contains(x)
                                && (rect.y..<(rect.y + rect.height)).contains(y)
                            let wanted = isInside ? expected : SIMD3(repeating: 255)
                            #expect((pixels[y * target.width + x] - wanted).map(abs).max() <= 3)
                        }
                    }
                }
            }
        }
    }
}

/// The result is compared with an independent conversion of the same frame.
@Suite("HDR to SDR: real files", .enabled(if: Corpus.isPresent, Corpus.hint))
struct RealToneMapTests {
    /// The folder of references is next to the corpus.
    private static let golden = Corpus.root + "/../reference/hdr/hlg10-color-test.sdr.png"

    private func first(_ path: String) throws -> VideoFrame {
        let session = try #require(try Playthrough.Session(OpenRequest(location: path), .video))
        while let packet = try session.demuxer.read().get() {
            while try !session.decoder.send(packet) {}
            if case .video(let frame) = try session.decoder.receive() { return frame }
        }
        _ = try session.decoder.send(nil)
        guard case .video(let frame) = try session.decoder.receive() else {
            throw MediaError(.decodeFailed, "there is no frame")
        }
        return frame
    }

    @Test(
        "HLG's colors match the mapping of a phone",
        .enabled(if: access(golden, R_OK) == 0, "the reference image is not next to the corpus")
    )
    func hlg() throws {
        let frame = try first(Corpus.root + "/hdr/hlg10-hevc-1080p30-color-test.mp4")
        let made = try FFmpegVideoConverter().convertToSDR(
            frame,
            to: .rgb24,
            geometry: nil,
            background: .clear
        )
        let command = "ffmpeg -nostdin -v quiet -i '\(Self.golden)' -f rawvideo -pix_fmt rgb24 -"
        let golden = try #require(Corpus.output(of: command))
        let bytes = packedBytes(of: made)
        try #require(bytes.count == golden.count)
        let sum = zip(bytes, golden).reduce(0) {
            $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1))
        }
        let decibels = 10 * log10(255 * 255 * Double(bytes.count) / Double(sum))
        // Media3 requires 25 dB of its own mapping.
        #expect(decibels >= 26.5, "\(decibels) dB")
    }

    @Test(
        "PQ keeps detail in the brightest parts, and adds neither black nor white",
        arguments: ["hdr10-av1-1080p60-mdcv-clli.mp4", "hdr10-av1-720x1280.mp4"]
    )
    func pq(_ name: String) throws {
        let frame = try first(Corpus.root + "/hdr/" + name)
        let made = try FFmpegVideoConverter().convertToSDR(
            frame,
            to: .rgb24,
            geometry: nil,
            background: .clear
        )
        let bytes = packedBytes(of: made)
        let clipped = bytes.count { $0 >= 254 }
        #expect(Double(clipped) < 0.005 * Double(bytes.count), "\(clipped) of \(bytes.count)")
        #expect(bytes.contains { $0 > 200 } && bytes.contains { $0 < 40 })
    }
}
