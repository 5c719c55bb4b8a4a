import Foundation
import Playhead
import TestSupport
import Testing

/// Writes H.264 whose pictures are fields of one macroblock each, without compression. No encoder of FFmpeg does that.
///
/// Source: ITU-T H.264, 7.3.
private enum FieldStream {
    private struct Bits {
        private(set) var bytes: [UInt8] = []
        private var count = 0

        mutating func put(_ value: Int, _ length: Int) {
            for shift in (0..<length).reversed() {
                if count % 8 == 0 { bytes.append(0) }
                bytes[count / 8] |= UInt8((value >> shift) & 1) << (7 - count % 8)
                count += 1
            }
        }

        mutating func putGolomb(_ values: Int...) {
            for value in values {
                let length = Int.bitWidth - (value + 1).leadingZeroBitCount
                put(0, length - 1)
                put(value + 1, length)
            }
        }

        mutating func align() { put(0, (8 - count % 8) % 8) }

        mutating func stop() {
            put(1, 1)
            align()
        }
    }

    /// Returns frames of two fields of different luma. The first frame is a key frame, and no other frame is referenced.
    static func make(frameCount: Int) -> [UInt8] {
        var stream = unit(9, [0xF0]) + unit(0x67, sequence) + unit(0x68, picture)
        for index in 0..<frameCount * 2 {
            if index > 0 { stream += unit(9, [0xF0]) }
            stream += field(index)
        }
        return stream
    }

    private static var sequence: [UInt8] {
        var bits = Bits()
        // Main profile, level 3, four reference frames, 16 x 32 samples.
        bits.put(77 << 16 | 30, 24)
        bits.putGolomb(0, 0, 0, 4, 4)
        bits.put(0, 1)
        bits.putGolomb(0, 0)
        // Pictures may be fields.
        bits.put(0b00100, 5)
        bits.stop()
        return bits.bytes
    }

    private static var picture: [UInt8] {
        var bits = Bits()
        bits.putGolomb(0, 0)
        bits.put(0, 2)
        bits.putGolomb(0, 0, 0)
        bits.put(0, 3)
        bits.putGolomb(0, 0, 0)
        bits.put(0b100, 3)
        bits.stop()
        return bits.bytes
    }

    private static func field(_ index: Int) -> [UInt8] {
        let isReference = index < 2
        let isKey = index == 0
        var bits = Bits()
        bits.putGolomb(0, 7, 0)
        bits.put(isReference ? 0 : 1, 4)
        bits.put(1, 1)
        bits.put(index % 2, 1)
        if isKey { bits.putGolomb(0) }
        bits.put(index, 8)
        if isReference { bits.put(0, isKey ? 2 : 1) }
        bits.putGolomb(0, 1, 25)
        bits.align()
        let luma = [UInt8](repeating: UInt8(16 + 2 * index), count: 256)
        let chroma = [UInt8](repeating: 128, count: 128)
        return unit((isReference ? 0x60 : 0) | (isKey ? 5 : 1), bits.bytes + luma + chroma + [0x80])
    }

    /// Returns a NAL unit as in a byte stream.
    private static func unit(_ header: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var unit: [UInt8] = [0, 0, 0, 1, header]
        var zeros = 0
        for byte in payload {
            if zeros >= 2, byte <= 3 {
                unit.append(3)
                zeros = 0
            }
            unit.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return unit
    }
}

@Suite("Contract: field pictures")
struct FieldPictureTests {
    @Test("H.264 with a packet for each field: a frame is the same after a seek")
    func seek() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a.h264", FieldStream.make(frameCount: 50))
        let url = try MadeFile.make(
            "a.ts",
            in: folder,
            "-f h264 -i \(folder.file("a.h264").path) -c copy -bsf:v setts=pts=N*1800+90000:dts=N*1800+90000"
        )
        let asset = Asset(url: url)
        var frames: [VideoFrame] = []
        for try await frame in asset.frames() { frames.append(frame) }
        try #require(frames.count == 50)
        for frame in [frames[20], frames[33], frames[47]] {
            #expect(frame.isInterlaced)
            let sampling = FrameSampling.times([frame.presentationTime])
            let found = try await asset.frames(sampling).reduce(into: [VideoFrame]()) { $0.append($1) }
            #expect(found.map(\.presentationTime) == [frame.presentationTime])
            #expect(try found.first?.packedBytes() == frame.packedBytes())
        }
    }
}
