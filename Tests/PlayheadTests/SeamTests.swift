import Foundation
import Playhead
import TestSupport
import Testing

/// The measure: what remains of the sound when one sine of one phase is taken out of the whole run. The codec's own
/// noise floor is what remains of a single lap, first and last samples included. At a seam no more may remain
/// than that; a single sample lost or doubled would leave ten times as much in every lap behind it.
@Suite("Seams without a sample lost or doubled", .enabled(if: Fixture.areThere))
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

    /// Six laps here; `Benchmarks/seams` plays a hundred.
    @Test("A looped sine goes on", arguments: Tone.all.samples)
    func loop(tone: Tone) async {
        let lap = await Recording.play([tone.name]).samples
        #expect(lap.count == tone.length)
        let floor = FittedSine(lap, frequency: tone.frequency, sampleRate: tone.sampleRate).worst
        #expect(floor < 0.05)
        let laps = await Recording.play([tone.name], laps: 6)
        #expect(laps.samples.count == 6 * tone.length)
        #expect(laps.starts.count == 1)
        // Decoding begins afresh with each lap: they are equal to the last bit.
        for first in stride(from: 0, to: laps.samples.count, by: tone.length) {
            #expect(Array(laps.samples[first..<first + tone.length]) == lap)
        }
        let whole = FittedSine(laps.samples, frequency: tone.frequency, sampleRate: tone.sampleRate)
        #expect(whole.worst <= floor + 1e-4)
    }

    @Test("From item to item of a queue", arguments: Tone.all.samples)
    func queue(tone: Tone) async {
        let lap = await Recording.play([tone.name]).samples
        let floor = FittedSine(lap, frequency: tone.frequency, sampleRate: tone.sampleRate).worst
        let recording = await Recording.play(Array(repeating: tone.name, count: 5))
        #expect(recording.samples.count == 5 * tone.length)
        let whole = FittedSine(recording.samples, frequency: tone.frequency, sampleRate: tone.sampleRate)
        #expect(whole.worst <= floor + 1e-4)
    }

    @Test("From codec to codec: each one's samples, and no others")
    func codecs() async {
        let names = ["tone-44100.m4a", "tone-44100.mp3", "tone-44100.m4a"]
        var expected: [Float] = []
        for name in names { expected += await Recording.play([name]).samples }
        #expect(await Recording.play(names).samples == expected)
    }

    /// The sink keeps the format that it was started with, and the sound is resampled into it. 441 Hz at 44100
    /// and 480 Hz at 48000 are other tones, so each part is looked at by itself.
    @Test("From sample rate to sample rate, into the sink's own")
    func sampleRates() async {
        let recording = await Recording.play(["tone-48000.wav", "tone-44100.m4a", "tone-48000.opus"])
        let samples = recording.samples
        #expect(recording.starts.map(\.sampleRate) == [48_000, 44_100, 48_000])
        // Resampled, a length may be off by the part of a sample that is left over.
        #expect(abs(samples.count - 3 * 96_000) <= 1)
        let middle = FittedSine(Array(samples[96_000..<192_000]), frequency: 441, sampleRate: 48_000)
        let plain = await Recording.play(["tone-44100.m4a"]).samples
        let floor = FittedSine(plain, frequency: 441, sampleRate: 44_100).worst
        #expect(abs(middle.amplitude - 0.25) < 0.001)
        #expect(middle.worst < floor * 1.5)
        let last = FittedSine(Array(samples.suffix(96_000)), frequency: 480, sampleRate: 48_000)
        #expect(abs(last.amplitude - 0.25) < 0.001)
    }

    @Test("From mono to stereo and back, into the sink's own")
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

    @Test("At another speed: whole laps, one phase", arguments: [0.5, 1.5, 2] as [Float])
    func paced(rate: Float) async {
        let tone = Tone.all[4]
        let samples = await Recording.play([tone.name], laps: 4, rate: rate).samples
        #expect(abs(Double(samples.count) - 4 * 96_000 / Double(rate)) < 1)
        // Pieces are laid over each other in phase: no bend at a seam that is not the tone's own.
        let own = Float(0.25 * pow(2 * sin(.pi * tone.frequency / Double(tone.sampleRate)), 2))
        var most: Float = 0
        for index in 2..<samples.count {
            most = max(most, abs(samples[index] - 2 * samples[index - 1] + samples[index - 2]))
        }
        #expect(most < 1.1 * own + 1e-4)
    }

    /// Nothing in it tells of the encoder's delay, so what FFmpeg decodes is what is played.
    @Test("An MP3 without a header")
    func headerless() async {
        let lap = await Recording.play(["tone-no-header.mp3"]).samples
        #expect(lap.count == 78 * 1152)
        let laps = await Recording.play(["tone-no-header.mp3"], laps: 3).samples
        #expect(laps == lap + lap + lap)
    }
}
