import MediaCore
import Testing

@testable import PlaybackEngine

/// Muted audio is replaced by silence without multiplying its samples.
@Suite struct MutedAudioTests {
    @Test func mutedAudioIsSilenceOfTheSameShape() {
        let format = AudioFormat(sampleRate: 48_000, channelLayout: .stereo, sampleFormat: .floatPlanar)
        var gain = AudioGain()
        gain.set(0)
        for count in [1024, 512, 2048] {
            let samples = [[Float]](repeating: [Float](repeating: -0.5, count: count), count: 2)
            var buffer = AudioBuffer(
                floatChannels: samples,
                format: format,
                presentationTime: MediaTime(value: 3, timescale: 2),
                rate: 2,
                pass: 4
            )
            buffer = buffer.trimmed(first: 12)
            let silent = gain.apply(to: buffer)
            #expect(silent.format == format)
            #expect(silent.frameCount == count - 12)
            #expect(silent.presentationTime == buffer.presentationTime)
            #expect(silent.rate == 2)
            #expect(silent.pass == 4)
            #expect(
                silent.floatChannels
                    == [[Float]](repeating: [Float](repeating: 0, count: count - 12), count: 2)
            )
        }
    }
}
