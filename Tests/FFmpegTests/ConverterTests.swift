import MediaCore
import TestSupport
import Testing

@testable import FFmpeg

/// Returns the bytes of a frame as in a file of raw video.
func packedBytes(of frame: VideoFrame) -> [UInt8] {
    var bytes: [UInt8] = []
    withPackedRows(of: frame) { bytes.append(contentsOf: $0) }
    return bytes
}

/// A frame whose bytes a test has written.
final class PlainFrame: VideoFrameStorage {
    let planes: [[UInt8]]
    let strides: [Int]
    let used: [Int]
    var byteCount: Int { planes.reduce(0) { $0 + $1.count } }

    init(planes: [[UInt8]], strides: [Int], used: [Int]) {
        self.planes = planes
        self.strides = strides
        self.used = used
    }

    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R {
        let pointers = planes.map { plane in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, plane.count), alignment: 64)
            copy.copyBytes(from: plane)
            return copy
        }
        defer { for pointer in pointers { pointer.deallocate() } }
        return try body(
            pointers.enumerated().compactMap { index, pointer in
                pointer.baseAddress.map {
                    VideoPlane(
                        baseAddress: UnsafeRawPointer($0),
                        bytesPerRow: strides[index],
                        bytesUsedPerRow: used[index],
                        rowCount: planes[index].count / strides[index]
                    )
                }
            }
        )
    }
}

/// Interleaved samples that a test has written.
final class PlainAudio: AudioBufferStorage {
    let samples: [Int16]
    init(_ samples: [Int16]) { self.samples = samples }

    func withPlanes<R>(_ body: ([UnsafeRawPointer]) throws -> R) rethrows -> R {
        try samples.withUnsafeBytes { bytes in try body(bytes.baseAddress.map { [$0] } ?? []) }
    }
}

struct ConverterTests {
    private func gray(_ value: UInt8, width: Int, height: Int, format: PixelFormat, full: Bool?) -> VideoFrame
    {
        let stride = width + 16
        let chroma = (width / 2) * (height / 2)
        return VideoFrame(
            format: VideoFormat(
                pixelFormat: format,
                size: PixelSize(width: width, height: height),
                color: ColorDescription(matrix: "bt709", isFullRange: full)
            ),
            presentationTime: MediaTime(value: 7, timescale: 3),
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: 7, timeBase: Rational(1, 3)),
            storage: PlainFrame(
                planes: [
                    [UInt8](repeating: value, count: stride * height), [UInt8](repeating: 128, count: chroma),
                    [UInt8](repeating: 128, count: chroma),
                ],
                strides: [stride, width / 2, width / 2],
                used: [width, width / 2, width / 2]
            )
        )
    }

    @Test(arguments: [(UInt8(16), false, UInt8(0)), (235, false, 255), (16, true, 16), (255, true, 255)])
    func rangesBecomeFullInRGB(_ luma: UInt8, _ isFull: Bool, _ expected: UInt8) throws {
        let frame = gray(luma, width: 32, height: 16, format: .yuv420p, full: isFull)
        let rgb = try FFmpegVideoConverter().convert(frame, to: .rgba, size: frame.size)
        let bytes = packedBytes(of: rgb)
        #expect(bytes.count == 32 * 16 * 4)
        #expect(abs(Int(bytes[0]) - Int(expected)) <= 1)
        #expect(rgb.format.color.isFullRange == true)
        #expect(rgb.format.color.matrix == "gbr")
        #expect(rgb.presentationTime == frame.presentationTime)
        #expect(rgb.sourceTime == frame.sourceTime)
    }

    @Test(
        "Gray of limited range becomes full-range, scaled or not",
        arguments: [(UInt8(16), UInt8(0)), (126, 128), (235, 255)]
    )
    func limitedGray(_ luma: UInt8, _ expected: UInt8) throws {
        let size = PixelSize(width: 32, height: 16)
        let frame = VideoFrame.still(
            VideoFormat(
                pixelFormat: .gray,
                size: size,
                color: ColorDescription(isFullRange: false)
            ),
            PlainFrame(planes: [[UInt8](repeating: luma, count: 32 * 16)], strides: [32], used: [32])
        )
        let converter = FFmpegVideoConverter()
        for format in [PixelFormat.rgb24, .rgba, .bgra, .yuvj420p] {
            for target in [size, PixelSize(width: 20, height: 12)] {
                let bytes = packedBytes(of: try converter.convert(frame, to: format, size: target))
                #expect(abs(Int(bytes[0]) - Int(expected)) <= 1, "\(format) in \(target)")
            }
        }
    }

    /// Returns the exact RGB value by the definitions of BT.601, BT.709 and BT.2020, for 8-bit samples.
    private func exactRGB(_ sample: [UInt8], _ matrix: String, isFull: Bool) -> [Double] {
        let (red, blue) =
            switch matrix {
            case "bt709": (0.2126, 0.0722)
            case "bt2020nc": (0.2627, 0.0593)
            default: (0.299, 0.114)
            }
        let y = isFull ? Double(sample[0]) : (Double(sample[0]) - 16) * 255 / 219
        let scale = isFull ? 1 : 255.0 / 224
        let (u, v) = ((Double(sample[1]) - 128) * scale, (Double(sample[2]) - 128) * scale)
        let r = y + 2 * (1 - red) * v
        let b = y + 2 * (1 - blue) * u
        let g = (y - red * r - blue * b) / (1 - red - blue)
        return [r, g, b].map { min(max($0, 0), 255) }
    }

    @Test(
        "YUV is converted to RGB by the frame's matrix and range, rounded to the nearest value, in every byte order",
        arguments: ["bt709", "smpte170m", "bt2020nc"],
        [false, true]
    )
    func matrices(_ matrix: String, _ isFull: Bool) throws {
        let converter = FFmpegVideoConverter()
        let orders: [(PixelFormat, [Int], Int)] = [
            (.rgba, [0, 1, 2], 4), (.bgra, [2, 1, 0], 4), (.rgb24, [0, 1, 2], 3),
        ]
        for sample in [
            [128, 128, 128], [16, 128, 128], [235, 128, 128], [90, 60, 200], [200, 220, 40], [60, 30, 30],
        ] {
            let sample = sample.map { UInt8($0) }
            let size = PixelSize(width: 36, height: 20)
            let planes = [(36, 20), (18, 10), (18, 10)]
            let frame = VideoFrame.still(
                VideoFormat(
                    pixelFormat: .yuv420p,
                    size: size,
                    color: ColorDescription(matrix: matrix, isFullRange: isFull)
                ),
                PlainFrame(
                    planes: zip(planes, sample).map { [UInt8](repeating: $1, count: ($0.0 + 16) * $0.1) },
                    strides: planes.map { $0.0 + 16 },
                    used: planes.map(\.0)
                )
            )
            let expected = exactRGB(sample, matrix, isFull: isFull)
            for (format, order, step) in orders {
                for target in [size, PixelSize(width: 18, height: 10), PixelSize(width: 51, height: 33)] {
                    let bytes = packedBytes(of: try converter.convert(frame, to: format, size: target))
                    #expect(bytes.count == target.width * target.height * step)
                    let last = bytes.suffix(step)
                    for (found, channel) in zip(order.map { last[last.startIndex + $0] }, expected) {
                        let limit = step == 4 ? 0.51 : 1.51
                        #expect(abs(Double(found) - channel) <= limit, "\(sample) \(format) in \(target)")
                    }
                    if step == 4 { #expect(last.last == 255) }
                }
            }
        }
    }

    @Test("Gray that is made of YUV declares its range", arguments: [("yuv420p", false), ("yuvj420p", true)])
    func grayOfYUV(_ name: String, _ isFull: Bool) throws {
        let white: UInt8 = isFull ? 255 : 235
        let frame = gray(white, width: 32, height: 16, format: PixelFormat(rawValue: name), full: nil)
        let converter = FFmpegVideoConverter()
        for size in [frame.size, PixelSize(width: 20, height: 12)] {
            let luma = try converter.convert(frame, to: .gray, size: size)
            #expect(luma.format.color.isFullRange == isFull && packedBytes(of: luma)[0] == white)
            let rgb = try converter.convert(luma, to: .rgb24, size: size)
            #expect(packedBytes(of: rgb)[0] >= 254)
        }
    }

    @Test("A format that implies full range is declared as such where another format replaces it")
    func impliedRange() throws {
        let frame = gray(255, width: 32, height: 16, format: .yuvj420p, full: nil)
        let converter = FFmpegVideoConverter()
        for format in [PixelFormat.yuv420p, .yuv444p, .nv12] {
            let other = try converter.convert(frame, to: format, size: PixelSize(width: 20, height: 12))
            #expect(other.format.color.isFullRange == true && packedBytes(of: other)[0] == 255)
        }
    }

    /// Returns a frame of one saturated color without a declared matrix.
    private func undeclared(_ size: PixelSize, _ rotation: MediaCore.Rotation) -> VideoFrame {
        let chroma = PixelSize(width: size.width / 2, height: size.height / 2)
        return VideoFrame.still(
            VideoFormat(pixelFormat: .yuv420p, size: size, rotation: rotation),
            PlainFrame(
                planes: [
                    [UInt8](repeating: 90, count: size.width * size.height),
                    [UInt8](repeating: 60, count: chroma.width * chroma.height),
                    [UInt8](repeating: 200, count: chroma.width * chroma.height),
                ],
                strides: [size.width, chroma.width, chroma.width],
                used: [size.width, chroma.width, chroma.width]
            )
        )
    }

    @Test(
        "A frame without a declared matrix has the same colors if it is scaled or rotated before it becomes RGB",
        arguments: [
            PixelSize(width: 1280, height: 720), PixelSize(width: 640, height: 360),
            PixelSize(width: 64, height: 36),
        ],
        [MediaCore.Rotation.none, .clockwise90]
    )
    func undeclaredMatrix(_ size: PixelSize, _ rotation: MediaCore.Rotation) throws {
        let frame = undeclared(size, rotation)
        let converter = FFmpegVideoConverter()
        func pixel(_ frame: VideoFrame) throws -> [UInt8] {
            Array(packedBytes(of: try converter.convert(frame, to: .rgba, size: frame.size)).prefix(4))
        }
        let expected = try pixel(frame)
        // The matrices differ by ten steps and more.
        func isExpected(_ frame: VideoFrame) throws -> Bool {
            zip(try pixel(frame), expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
        }
        #expect(try isExpected(converter.upright(frame)))
        for target in [PixelSize(width: 160, height: 90), PixelSize(width: 720, height: 1280)] {
            let scaled = try converter.convert(frame, to: .yuv420p, size: target)
            #expect(try isExpected(scaled), "\(target)")
            let geometry = VideoGeometry(frame.format.shape, gravity: .resize, target: target)
            let laidOut = try converter.convert(frame, to: nil, geometry: geometry, background: .clear)
            #expect(try isExpected(laidOut), "\(target)")
        }
    }

    @Test func scalingKeepsTheShape() throws {
        let frame = gray(100, width: 64, height: 32, format: .yuv420p, full: false)
        let square = try FFmpegVideoConverter().convert(
            frame,
            to: .yuv420p,
            size: PixelSize(width: 32, height: 32)
        )
        #expect(square.format.pixelAspectRatio == Rational(2, 1))
        #expect(square.format.presentationSize == PixelSize(width: 64, height: 32))
        #expect(packedBytes(of: square).prefix(32 * 32).allSatisfy { $0 == 100 })
    }

    @Test func nothingToDoIsNoCopy() throws {
        let frame = gray(100, width: 16, height: 16, format: .yuv420p, full: nil)
        let same = try FFmpegVideoConverter().convert(frame, to: .yuv420p, size: frame.size)
        #expect(same.storage === frame.storage)
    }

    @Test(arguments: ["nonsense", ""])
    func unknownFormatsAreRefused(_ name: String) {
        let frame = gray(1, width: 16, height: 16, format: .yuv420p, full: nil)
        let error = #expect(throws: MediaError.self) {
            try FFmpegVideoConverter().convert(frame, to: PixelFormat(rawValue: name), size: frame.size)
        }
        #expect(error?.code == .conversionFailed)
        #expect(throws: MediaError.self) {
            try FFmpegVideoConverter().convert(frame, to: .rgba, size: PixelSize(width: 0, height: 1 << 40))
        }
    }

    private func makeAudio(_ count: Int, rate: Int, from time: MediaTime = .zero) -> AudioBuffer {
        AudioBuffer(
            format: AudioFormat(sampleRate: rate, channelLayout: .mono, sampleFormat: .s16),
            presentationTime: time,
            frameCount: count,
            storage: PlainAudio((0..<count).map { Int16(truncatingIfNeeded: $0 &* 37) })
        )
    }

    @Test func resamplingLosesNothing() throws {
        let wanted = AudioFormat(sampleRate: 48_000, channelLayout: .stereo, sampleFormat: .float)
        let converter = FFmpegAudioConverter(to: wanted)
        var total = 0
        for second in 0..<5 {
            let input = makeAudio(44_100, rate: 44_100, from: MediaTime(value: Int64(second), timescale: 1))
            total += try converter.convert(input)?.frameCount ?? 0
        }
        total += try converter.drain()?.frameCount ?? 0
        #expect(total == 5 * 48_000)
        #expect(try converter.drain() == nil)
    }

    @Test func aChangeOfFormatKeepsWhatWasHeld() throws {
        let wanted = AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .s16)
        let converter = FFmpegAudioConverter(to: wanted)
        var total = 0
        for rate in [44_100, 22_050, 48_000, 44_100] {
            total += try converter.convert(makeAudio(rate, rate: rate))?.frameCount ?? 0
        }
        total += try converter.drain()?.frameCount ?? 0
        #expect(abs(total - 4 * 48_000) <= 4)
    }

    @Test("Audio of another item in another format keeps its time, and follows what the resampler holds")
    func timeAfterAChangeOfFormat() throws {
        let wanted = AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .s16)
        let converter = FFmpegAudioConverter(to: wanted)
        let minute = MediaTime(value: 60, timescale: 1)
        _ = try converter.convert(makeAudio(44_100, rate: 44_100, from: minute))
        let next = try #require(try converter.convert(makeAudio(22_050, rate: 22_050)))
        #expect(next.presentationTime <= .zero)
        #expect(next.presentationTime > MediaTime(value: -5, timescale: 1000))
        let last = try #require(try converter.drain())
        #expect(abs((last.presentationTime + last.duration).seconds - 1) < 0.001)
    }

    @Test("Audio that is shorter than the resampler's filter keeps its time")
    func timeOfShortAudio() throws {
        let wanted = AudioFormat(sampleRate: 16_000, channelLayout: .mono, sampleFormat: .s16)
        let converter = FFmpegAudioConverter(to: wanted)
        let minute = MediaTime(value: 60, timescale: 1)
        #expect(try converter.convert(makeAudio(80, rate: 48_000, from: minute)) == nil)
        let held = try #require(try converter.drain())
        #expect(held.presentationTime == minute)
    }

    @Test(
        "One channel has its full volume in both channels of stereo",
        arguments: [("flt", 48_000), ("fltp", 48_000), ("s16", 48_000), ("fltp", 24_000)] as [(String, Int)]
    )
    func monoToStereo(name: String, rate: Int) throws {
        let buffer = AudioBuffer(
            floatChannels: [[Float](repeating: 0.25, count: 4800)],
            format: AudioFormat(
                sampleRate: rate,
                channelLayout: .mono,
                sampleFormat: SampleFormat(rawValue: name)
            ),
            presentationTime: .zero
        )
        let converter = FFmpegAudioConverter(to: .stereo48k)
        let channels = try #require(try converter.convert(buffer)).floatChannels
        try #require(channels.count == 2)
        #expect(channels[0].count > 1000)
        #expect(channels[0] == channels[1])
        #expect(channels[0].allSatisfy { abs($0 - 0.25) < 0.001 })
    }

    @Test(
        "Channels that libswresample cannot mix are distributed to those of the output",
        arguments: [("11 channels", 11, [6, 5]), ("9 channels", 9, [5, 4]), ("ambisonic 2", 9, [1, 1])]
            as [(String, Int, [Float])]
    )
    func unmixableChannels(name: String, count: Int, expected: [Float]) throws {
        let input = AudioFormat(
            sampleRate: 48_000,
            channelLayout: ChannelLayout(channelCount: count, name: name),
            sampleFormat: .floatPlanar
        )
        let buffer = AudioBuffer(
            floatChannels: (1...count).map { [Float](repeating: Float($0) / 32, count: 100) },
            format: input,
            presentationTime: .zero
        )
        let wanted = AudioFormat(sampleRate: 48_000, channelLayout: .stereo, sampleFormat: .float)
        let converted = try #require(try FFmpegAudioConverter(to: wanted).convert(buffer))
        #expect(converted.frameCount == 100)
        for (samples, value) in zip(converted.floatChannels, expected) {
            #expect(samples.allSatisfy { abs($0 * 32 - value) < 0.01 })
        }
    }

    @Test("Channels that libswresample does not support are an error")
    func tooManyChannels() {
        let input = AudioFormat(
            sampleRate: 48_000,
            channelLayout: ChannelLayout(channelCount: 100, name: "100 channels"),
            sampleFormat: .float
        )
        let buffer = AudioBuffer(
            floatChannels: Array(repeating: [0, 0], count: 100),
            format: input,
            presentationTime: .zero
        )
        let wanted = AudioFormat(sampleRate: 48_000, channelLayout: .stereo, sampleFormat: .float)
        #expect(throws: MediaError.self) { try FFmpegAudioConverter(to: wanted).convert(buffer) }
    }

    @Test func aWindowIsConvertedAlone() throws {
        let wanted = AudioFormat(sampleRate: 8000, channelLayout: .mono, sampleFormat: .float)
        let window = makeAudio(100, rate: 8000).trimmed(first: 10, last: 20)
        let converted = try #require(try FFmpegAudioConverter(to: wanted).convert(window))
        #expect(converted.frameCount == 70)
        #expect(converted.presentationTime == MediaTime(value: 10, timescale: 8000))
        let first = converted.withPlanes { $0[0].loadUnaligned(as: Float.self) }
        #expect(first == Float(370) / 32768)
    }
}

struct PictureDigestTests {
    @Test func rowsArePackedInOrder() {
        let frame = VideoFrame.still(
            VideoFormat(pixelFormat: .gray, size: PixelSize(width: 2, height: 2)),
            PlainFrame(planes: [[1, 2, 99, 3, 4, 99]], strides: [3], used: [2])
        )
        #expect(packedBytes(of: frame) == [1, 2, 3, 4])
        // This is the MD5 of 01 02 03 04.
        #expect(FrameDigest.digest(of: frame) == "08d6c05a21512a79a1dfeb9d2a8f262f")
    }

    @Test func anEmptyDigestIsMD5s() {
        #expect(FrameDigest().finish() == "d41d8cd98f00b204e9800998ecf8427e")
    }

    @Test func versionsAreNamed() {
        #expect(libraryVersions()["libavcodec"]?.isEmpty == false)
    }
}
