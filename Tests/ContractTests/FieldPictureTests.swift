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

    /// Returns frames of two fields of different luma. Only key frames are referenced. `isProgressive` states whether
    /// both fields of a frame are declared to be of one moment.
    static func make(frameCount: Int, keyInterval: Int, isProgressive: Bool) -> [UInt8] {
        var stream = unit(9, [0xF0]) + unit(0x67, sequence(isProgressive)) + unit(0x68, picture)
        for index in 0..<frameCount * 2 {
            if index > 0 { stream += unit(9, [0xF0]) }
            if isProgressive { stream += unit(6, timing(isBottom: index % 2 == 1)) }
            stream += field(index, position: index % (keyInterval * 2))
        }
        return stream
    }

    private static func sequence(_ hasTiming: Bool) -> [UInt8] {
        var bits = Bits()
        // Main profile, level 3, four reference frames, 16 x 32 samples.
        bits.put(77 << 16 | 30, 24)
        bits.putGolomb(0, 0, 0, 4, 4)
        bits.put(0, 1)
        bits.putGolomb(0, 0)
        // Pictures may be fields.
        bits.put(hasTiming ? 0b00101 : 0b00100, 5)
        if hasTiming { bits.put(0b000000010, 9) }
        bits.stop()
        return bits.bytes
    }

    /// Returns picture timing (ITU-T H.264, D.1.3) of a field with a progressive clock timestamp.
    private static func timing(isBottom: Bool) -> [UInt8] {
        var bits = Bits()
        bits.put(isBottom ? 2 : 1, 4)
        // A timestamp whose ct_type is 0, with its full time.
        bits.put(1, 1)
        bits.put(0, 2)
        bits.put(0, 6)
        bits.put(1, 1)
        bits.put(0, 2 + 8 + 6 + 6 + 5 + 24)
        bits.stop()
        return [1, UInt8(bits.bytes.count)] + bits.bytes + [0x80]
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

    /// Returns a field, which has a position in its group of pictures.
    private static func field(_ index: Int, position: Int) -> [UInt8] {
        let isReference = position < 2
        let isKey = position == 0
        var bits = Bits()
        bits.putGolomb(0, 7, 0)
        bits.put(isReference ? 0 : 1, 4)
        bits.put(1, 1)
        bits.put(position % 2, 1)
        if isKey { bits.putGolomb(0) }
        bits.put(position, 8)
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
    /// Returns a file of 48 frames with a packet for each field.
    private func makeFile(
        _ name: String = "a.ts",
        keyInterval: Int,
        isProgressive: Bool = false,
        in folder: TemporaryFolder
    ) throws -> URL {
        let stream = FieldStream.make(frameCount: 48, keyInterval: keyInterval, isProgressive: isProgressive)
        try folder.write("a.h264", stream)
        return try MadeFile.make(
            name,
            in: folder,
            "-f h264 -i \(folder.file("a.h264").path) -c copy -bsf:v setts=pts=N*1800+90000:dts=N*1800+90000"
        )
    }

    @Test("H.264 with a packet for each field: a frame is the same after a seek", arguments: [false, true])
    func seek(isProgressive: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = try makeFile(keyInterval: 48, isProgressive: isProgressive, in: folder)
        let asset = Asset(url: file)
        var frames: [VideoFrame] = []
        for try await frame in asset.frames() { frames.append(frame) }
        try #require(frames.count == 48)
        for frame in [frames[20], frames[33], frames[47]] {
            #expect(frame.isInterlaced == !isProgressive)
            let sampling = FrameSampling.times([frame.presentationTime])
            let found = try await asset.frames(sampling).reduce(into: [VideoFrame]()) { $0.append($1) }
            #expect(found.map(\.presentationTime) == [frame.presentationTime])
            #expect(try found.first?.packedBytes() == frame.packedBytes())
        }
    }

    @Test("H.264 with a packet for each field: a range that ends between the fields of a frame has the frame")
    func range() async throws {
        let folder = try TemporaryFolder()
        let asset = Asset(url: try makeFile(keyInterval: 12, in: folder))
        var frames: [VideoFrame] = []
        for try await frame in asset.frames() { frames.append(frame) }
        try #require(frames.count == 48)
        let (last, next) = (frames[20].presentationTime, frames[21].presentationTime)
        let quarter = MediaTime(nanoseconds: ((next - last).nanoseconds ?? 0) / 4)
        let range = MediaTimeRange(start: .zero, end: last + quarter)
        var found: [VideoFrame] = []
        for try await frame in asset.frames(in: range) { found.append(frame) }
        #expect(found.map(\.presentationTime) == frames[...20].map(\.presentationTime))
        #expect(try found.last?.packedBytes() == frames[20].packedBytes())
    }

    @Test(
        "H.264 with a packet for each field: key frames have both fields",
        arguments: ["a.ts", "a.mp4"],
        [false, true]
    )
    func keyFrames(name: String, isProgressive: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = try makeFile(name, keyInterval: 12, isProgressive: isProgressive, in: folder)
        let asset = Asset(url: file)
        var expected: [[UInt8]] = []
        for try await frame in asset.frames() where frame.isKeyFrame {
            expected.append(try frame.packedBytes())
        }
        #expect(expected.count == 4)
        var found: [[UInt8]] = []
        for try await frame in asset.frames(.keyFrames) { found.append(try frame.packedBytes()) }
        #expect(found == expected)
    }
}
