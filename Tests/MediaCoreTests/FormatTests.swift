import MediaCore
import Testing

@Suite struct VideoFormatTests {
    private func shown(
        _ width: Int,
        _ height: Int,
        aspect: Rational = Rational(1, 1),
        rotation: Rotation = .none
    ) -> PixelSize {
        VideoFormat(
            pixelFormat: .yuv420p,
            size: PixelSize(width: width, height: height),
            pixelAspectRatio: aspect,
            rotation: rotation
        ).presentationSize
    }

    @Test func pixelAspectWidensThenRotationSwaps() {
        #expect(shown(1920, 1080) == PixelSize(width: 1920, height: 1080))
        #expect(shown(1440, 1080, aspect: Rational(4, 3)) == PixelSize(width: 1920, height: 1080))
        #expect(shown(720, 576, aspect: Rational(16, 15)) == PixelSize(width: 768, height: 576))
        #expect(shown(1440, 1080, aspect: Rational(4, 3), rotation: .clockwise90).description == "1080x1920")
        #expect(shown(1440, 1080, rotation: .half).description == "1440x1080")
        #expect(shown(640, 480, rotation: .clockwise270).description == "480x640")
    }

    @Test func nonsenseIsHeld() {
        #expect(shown(0, 1080) == .zero && shown(-4, 4, rotation: .clockwise90) == .zero)
        #expect(shown(640, 480, aspect: Rational(0, 1)).description == "640x480")
        #expect(shown(640, 480, aspect: Rational(-1, 2)).description == "640x480")
        #expect(shown(640, 480, aspect: Rational(1, 0)).description == "640x480")
        #expect(shown(640, 480, aspect: Rational(1, .max)).description == "1x480")
        #expect(shown(640, 480, aspect: Rational(.max, 1)).description == "640x480")
    }
}

private final class Samples: AudioBufferStorage {
    let planes: [[UInt8]]
    init(_ planes: [[UInt8]]) { self.planes = planes }

    func withPlanes<R>(_ body: ([UnsafeRawPointer]) throws -> R) rethrows -> R {
        try collect(0, [], body)
    }

    private func collect<R>(
        _ index: Int,
        _ pointers: [UnsafeRawPointer],
        _ body: ([UnsafeRawPointer]) throws -> R
    ) rethrows -> R {
        guard index < planes.count else { return try body(pointers) }
        return try planes[index].withUnsafeBytes { bytes in
            try collect(index + 1, pointers + (bytes.baseAddress.map { [$0] } ?? []), body)
        }
    }
}

@Suite struct AudioBufferTests {
    private func buffer(_ format: SampleFormat, _ planes: [[UInt8]], frames: Int) -> AudioBuffer {
        AudioBuffer(
            format: AudioFormat(sampleRate: 48000, channelLayout: .stereo, sampleFormat: format),
            presentationTime: MediaTime(value: 1, timescale: 2),
            frameCount: frames,
            storage: Samples(planes)
        )
    }

    private func bytes(_ buffer: AudioBuffer) -> [[UInt8]] { buffer.withPlanes { $0.map { Array($0) } } }

    @Test func trimmingMovesTheWindowAndTheTime() {
        let whole = buffer(.s16, [Array(0..<16)], frames: 4)
        #expect(whole.duration == MediaTime(value: 4, timescale: 48000))
        let part = whole.trimmed(first: 1, last: 2)
        #expect(bytes(part) == [[4, 5, 6, 7]] && part.frameCount == 1 && part.offset == 1)
        #expect(part.presentationTime == MediaTime(value: 24001, timescale: 48000))
        let again = whole.trimmed(first: 1).trimmed(first: 1, last: 1)
        #expect(bytes(again) == [[8, 9, 10, 11]])
        #expect(again.presentationTime == MediaTime(value: 24002, timescale: 48000))
        #expect(whole.trimmed(last: 1).presentationTime == whole.presentationTime)
    }

    @Test func planesAreTrimmedAlike() {
        let planar = SampleFormat(rawValue: "s16p")
        let part = buffer(planar, [Array(0..<8), Array(10..<18)], frames: 4).trimmed(first: 1, last: 1)
        #expect(bytes(part) == [[2, 3, 4, 5], [12, 13, 14, 15]])
    }

    @Test func askingTooMuchLeavesNothing() {
        let whole = buffer(.s16, [Array(0..<16)], frames: 4)
        #expect(whole.trimmed(first: 9).frameCount == 0 && whole.trimmed(first: 9).offset == 4)
        #expect(whole.trimmed(first: 3, last: 9).frameCount == 0)
        #expect(whole.trimmed(first: .max, last: .max).frameCount == 0)
        #expect(bytes(whole.trimmed(first: -5, last: .min)) == bytes(whole))
        #expect(bytes(whole.trimmed(first: 4)) == [[]])
    }
}
