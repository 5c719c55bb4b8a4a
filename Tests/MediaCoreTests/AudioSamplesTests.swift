import MediaCore
import Testing

@Suite("Samples of an audio buffer")
struct AudioSamplesTests {
    private static let channels: [[Float]] = [
        [0, 0.25, -0.5, 1], [0.5, -0.25, 0, -1], [0.125, 0, 0.75, 0.5],
    ]

    @Test(
        "Interleaved samples are those of the channels, in turn, in every format and in a window",
        arguments: ["s16", "s16p", "s32", "s32p", "s64", "flt", "fltp", "dbl", "dblp", "u8", "u8p"]
    )
    func interleaved(_ name: String) {
        let format = AudioFormat(
            sampleRate: 48_000,
            channelLayout: ChannelLayout(channelCount: 3, name: "3.0"),
            sampleFormat: SampleFormat(rawValue: name)
        )
        let buffer = AudioBuffer(floatChannels: Self.channels, format: format, presentationTime: .zero)
        for window in [buffer, buffer.trimmed(first: 1, last: 1), buffer.trimmed(first: 4)] {
            let channels = window.floatChannels
            let expected = (0..<window.frameCount).flatMap { frame in channels.map { $0[frame] } }
            #expect(window.interleavedFloats == expected)
            #expect(expected.count == window.frameCount * 3)
        }
        let limit: Float = name.hasPrefix("u8") ? 1 / 128 : 1 / 16_384
        let exact = (0..<4).flatMap { frame in Self.channels.map { $0[frame] } }
        #expect(zip(buffer.interleavedFloats, exact).allSatisfy { abs($0 - $1) <= limit })
    }

    @Test("Samples of an unknown format, and of no channel, are silent")
    func unknown() {
        var format = AudioFormat.stereo48k
        format.sampleFormat = SampleFormat(rawValue: "nonsense")
        let buffer = AudioBuffer(floatChannels: [[1, 1], [1, 1]], format: format, presentationTime: .zero)
        #expect(buffer.interleavedFloats == [0, 0, 0, 0])
        format.channelLayout = ChannelLayout(channelCount: 0, name: "")
        let empty = AudioBuffer(floatChannels: [[1, 1]], format: format, presentationTime: .zero)
        #expect(empty.interleavedFloats.isEmpty)
    }

    @Test("The formats of speech and of stereo are interleaved floating point")
    func constants() {
        let speech = AudioFormat.speech16kMono
        #expect(speech.sampleRate == 16_000 && speech.channelCount == 1 && speech.sampleFormat == .float)
        let stereo = AudioFormat.stereo48k
        #expect(stereo.sampleRate == 48_000 && stereo.channelCount == 2 && stereo.bytesPerFrame == 8)
    }
}
