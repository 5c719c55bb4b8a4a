import Foundation
import Playhead
import TestSupport
import Testing

// Rule: gapless
/// The test fits one sine of one phase to the whole playback and measures the residual. The noise of the codec is the
/// residual of a single pass, including its first and last samples. A seam must not leave more; a single lost or
/// repeated sample would leave ten times as much in every following pass.
@Suite("Seams lose and repeat no sample", .enabled(if: Fixture.areThere))
struct SeamTests {
    struct Tone: Sendable {
        let name: String
        let frequency: Double
        let sampleRate: Int
        var length: Int { 2 * sampleRate }
        /// Two seconds that begin and end with a whole period.
        static let all = [
            Tone(name: "tone-44100.m4a", frequency: 441, sampleRate: 44_100),
            Tone(name: "tone-44100.mp3", frequency: 441, sampleRate: 44_100),
            Tone(name: "tone-48000.opus", frequency: 480, sampleRate: 48_000),
            Tone(name: "tone-48000-opus.webm", frequency: 480, sampleRate: 48_000),
            Tone(name: "tone-48000.wav", frequency: 480, sampleRate: 48_000),
        ]
    }

    /// Six passes; `Benchmarks/seams` plays a hundred.
    @Test("A looped sine continues in phase", arguments: Tone.all.samples)
    func loop(tone: Tone) async {
        let lap = await Recording.play([tone.name]).samples
        #expect(lap.count == tone.length)
        let floor = FittedSine(lap, frequency: tone.frequency, sampleRate: tone.sampleRate).worst
        #expect(floor < 0.05)
        let laps = await Recording.play([tone.name], laps: 6)
        #expect(laps.samples.count == 6 * tone.length)
        #expect(laps.starts.count == 1)
        // Decoding restarts with each pass, so the passes are identical.
        for first in stride(from: 0, to: laps.samples.count, by: tone.length) {
            #expect(Array(laps.samples[first..<first + tone.length]) == lap)
        }
        let whole = FittedSine(laps.samples, frequency: tone.frequency, sampleRate: tone.sampleRate)
        #expect(whole.worst <= floor + 1e-4)
    }

    @Test("The items of a queue follow in phase", arguments: Tone.all.samples)
    func queue(tone: Tone) async {
        let lap = await Recording.play([tone.name]).samples
        let floor = FittedSine(lap, frequency: tone.frequency, sampleRate: tone.sampleRate).worst
        let recording = await Recording.play(Array(repeating: tone.name, count: 5))
        #expect(recording.samples.count == 5 * tone.length)
        let whole = FittedSine(recording.samples, frequency: tone.frequency, sampleRate: tone.sampleRate)
        #expect(whole.worst <= floor + 1e-4)
    }

    @Test("Items of different codecs play exactly their samples")
    func codecs() async {
        let names = ["tone-44100.m4a", "tone-44100.mp3", "tone-44100.m4a"]
        var expected: [Float] = []
        for name in names { expected += await Recording.play([name]).samples }
        #expect(await Recording.play(names).samples == expected)
    }

    /// The sink keeps the format that it was started with, and the audio is resampled. The tones of 441 Hz at 44100 Hz
    /// and 480 Hz at 48000 Hz differ, so each part is examined separately.
    @Test("Items of different sample rates are resampled to that of the sink")
    func sampleRates() async {
        let recording = await Recording.play(["tone-48000.wav", "tone-44100.m4a", "tone-48000.opus"])
        let samples = recording.samples
        #expect(recording.starts.map(\.sampleRate) == [48_000, 44_100, 48_000])
        // The length of resampled audio may differ by a fraction of a sample.
        #expect(abs(samples.count - 3 * 96_000) <= 1)
        let middle = FittedSine(Array(samples[96_000..<192_000]), frequency: 441, sampleRate: 48_000)
        let plain = await Recording.play(["tone-44100.m4a"]).samples
        let floor = FittedSine(plain, frequency: 441, sampleRate: 44_100).worst
        #expect(abs(middle.amplitude - 0.25) < 0.001)
        #expect(middle.worst < floor * 1.5)
        let last = FittedSine(Array(samples.suffix(96_000)), frequency: 480, sampleRate: 48_000)
        #expect(abs(last.amplitude - 0.25) < 0.001)
    }

    @Test("Mono and stereo items are converted to the channels of the sink")
    func layouts() async {
        let plain = await Recording.play(["clip-h264-aac.mp4"]).buffers.map(\.floatChannels)
        let (left, right) = (plain.flatMap { $0[0] }, plain.flatMap { $0[1] })
        let tone = await Recording.play(["tone-48000.wav"]).samples
        let mono = await Recording.play(["tone-48000.wav", "clip-h264-aac.mp4", "tone-48000.wav"]).samples
        #expect(mono.count == 2 * tone.count + left.count)
        #expect(mono.prefix(tone.count).elementsEqual(tone))
        #expect(mono.suffix(tone.count).elementsEqual(tone))
        let middle = mono[tone.count..<tone.count + left.count]
        let off = zip(middle, zip(left, right)).first { abs($0 - ($1.0 + $1.1) / 2) > 1e-5 }
        #expect(off == nil)
    }

    @Test("At other rates a loop has whole passes in phase", arguments: [0.5, 1.5, 2] as [Float])
    func paced(rate: Float) async {
        let tone = Tone.all[4]
        let samples = await Recording.play([tone.name], laps: 4, rate: rate).samples
        let length = 4 * 96_000 / Double(rate)
        #expect(abs(Double(samples.count) - length) < 1)
        // Segments are overlapped in phase, so a seam adds no discontinuity.
        let own = Float(0.25 * pow(2 * sin(.pi * tone.frequency / Double(tone.sampleRate)), 2))
        var most: Float = 0
        for index in 2..<samples.count {
            most = max(most, abs(samples[index] - 2 * samples[index - 1] + samples[index - 2]))
        }
        #expect(most < 1.1 * own + 1e-4)
    }

    /// The file does not declare the encoder delay, so everything that FFmpeg decodes is played.
    @Test("An MP3 file without a Xing header plays in phase")
    func headerless() async {
        let lap = await Recording.play(["tone-no-header.mp3"]).samples
        #expect(lap.count == 78 * 1152)
        let laps = await Recording.play(["tone-no-header.mp3"], laps: 3).samples
        #expect(laps == lap + lap + lap)
    }
}
