import MediaCore
import TestSupport
import Testing

@testable import FFmpeg

@Suite("Conversions from and to gray")
struct GrayConversionTests {
    @Test(
        "Luma of limited range with 10 bits becomes gray of limited range, scaled or not",
        arguments: [(UInt16(64), UInt8(16)), (940, 235)]
    )
    func grayOfTenBits(_ luma: UInt16, _ expected: UInt8) throws {
        func samples(_ value: UInt16, _ count: Int) -> [UInt8] {
            (0..<count).flatMap { _ in [UInt8(value & 0xff), UInt8(value >> 8)] }
        }
        let frame = VideoFrame.still(
            VideoFormat(
                pixelFormat: .yuv420p10le,
                size: PixelSize(width: 32, height: 16),
                color: ColorDescription(matrix: "bt709", isFullRange: false)
            ),
            PlainFrame(
                planes: [samples(luma, 32 * 16), samples(512, 16 * 8), samples(512, 16 * 8)],
                strides: [64, 32, 32],
                used: [64, 32, 32]
            )
        )
        let converter = FFmpegVideoConverter()
        for size in [frame.size, PixelSize(width: 20, height: 12)] {
            let gray = try converter.convert(frame, to: .gray, size: size)
            #expect(gray.format.color.isFullRange == false)
            #expect(abs(Int(packedBytes(of: gray)[0]) - Int(expected)) <= 1, "\(size)")
        }
    }

    @Test("Gray of full range gets neutral chroma in one plane, scaled or not")
    func pairedChromaOfGray() throws {
        let size = PixelSize(width: 32, height: 16)
        let frame = VideoFrame.still(
            VideoFormat(
                pixelFormat: .gray,
                size: size,
                color: ColorDescription(isFullRange: true)
            ),
            PlainFrame(planes: [[UInt8](repeating: 235, count: 32 * 16)], strides: [32], used: [32])
        )
        let converter = FFmpegVideoConverter()
        for target in [size, PixelSize(width: 20, height: 12)] {
            let luma = target.width * target.height
            let chroma = luma / 2
            let eightBits = packedBytes(of: try converter.convert(frame, to: .nv12, size: target))
            #expect(
                eightBits == [UInt8](repeating: 235, count: luma) + [UInt8](repeating: 128, count: chroma)
            )
            // The 10 bits are the upper ones of each sample.
            let tenBits = packedBytes(of: try converter.convert(frame, to: .p010le, size: target))
            let upper = tenBits.indices.filter { $0 % 2 == 1 }.map { tenBits[$0] }
            #expect(upper == [UInt8](repeating: 235, count: luma) + [UInt8](repeating: 128, count: chroma))
        }
    }
}
