import FFmpeg
import Foundation
import MediaCore
import Testing

/// The time stretcher with synthetic audio: lengths and times are exact to the sample, and pitch is measured with the
/// Goertzel algorithm.
@Suite struct StretcherTests {
    static let sampleRate = 16_000
    static let format = AudioFormat(
        sampleRate: sampleRate,
        channelLayout: .stereo,
        sampleFormat: .floatPlanar
    )

    static func sine(_ frequency: Double, from first: Int = 0, count: Int) -> [Float] {
        (first..<first + count).map {
            Float(0.25 * sin(2 * .pi * frequency * Double($0) / Double(sampleRate)))
        }
    }

    static func buffer(_ samples: [Float], at index: Int, pass: Int = 0) -> AudioBuffer {
        AudioBuffer(
            floatChannels: [samples, samples.map { -$0 }],
            format: format,
            presentationTime: MediaTime(value: Int64(index), timescale: Int32(sampleRate)),
            pass: pass
        )
    }

    /// Returns the complete output for `samples`, passed in buffers of 1024, with the rate of each input index.
    static func run(
        _ samples: [Float],
        _ algorithm: AudioTimePitchAlgorithm = .timeDomain,
        rate: (Int) -> Double
    ) -> [AudioBuffer] {
        let stretcher = OverlapStretcher()
        var result: [AudioBuffer] = []
        for first in stride(from: 0, to: samples.count, by: 1024) {
            let part = Array(samples[first..<min(first + 1024, samples.count)])
            stretcher.set(rate: rate(first), algorithm: algorithm)
            result += stretcher.stretch(buffer(part, at: first))
        }
        return result + stretcher.finish()
    }

    static func samples(_ buffers: [AudioBuffer]) -> [Float] { buffers.flatMap { $0.floatChannels[0] } }

    @Test(arguments: [0.25, 0.5, 0.9, 1.1, 1.5, 2, 3, 4])
    func keepsPitch(rate: Double) {
        let count = 4 * Self.sampleRate
        let result = Self.samples(Self.run(Self.sine(440, count: count)) { _ in rate })
        #expect(result.count == Int((Double(count) / rate).rounded()))
        let peak = Spectrum.peak(of: result, sampleRate: Self.sampleRate, near: 440)
        #expect(abs(peak / 440 - 1) < 0.01)
        #expect(Spectrum.roughness(result) < 1.1 * Spectrum.roughness(Self.sine(440, count: 1000)))
    }

    @Test(arguments: [0.25, 0.5, 1.5, 2, 4])
    func varispeed(rate: Double) {
        let count = 2 * Self.sampleRate
        let result = Self.samples(Self.run(Self.sine(440, count: count), .varispeed) { _ in rate })
        #expect(result.count == Int((Double(count) / rate).rounded()))
        let peak = Spectrum.peak(of: result, sampleRate: Self.sampleRate, near: 440 * rate)
        #expect(abs(peak / (440 * rate) - 1) < 0.01)
    }

    /// Frequencies above half the sample rate are removed when the audio is sped up, so there is no aliasing.
    @Test func varispeedDoesNotFold() {
        let result = Self.samples(
            Self.run(Self.sine(6000, count: Self.sampleRate), .varispeed) { _ in 4 }
        )
        let loudest = result.dropFirst(400).dropLast(400).map(abs).max() ?? 1
        #expect(loudest < 0.25 / 300)
    }

    /// Changes of rate and algorithm keep a sine wave a sine wave of the right length.
    @Test(arguments: AudioTimePitchAlgorithm.allCases)
    func changesWithoutAClick(algorithm: AudioTimePitchAlgorithm) {
        let rates = [1.5, 2, 0.5, 0.8, 3, 1.25]
        let every = 20 * 1024
        let input = Self.sine(200, count: rates.count * every)
        let buffers = Self.run(input, algorithm) { rates[$0 / every] }
        let result = Self.samples(buffers)
        // The bound is the steepest slope of a sine at the highest pitch that occurs.
        let highest = algorithm == .varispeed ? 600.0 : 200.0
        // The varispeed filter has no input before the first sample and after the last one.
        let middle = Array(result.dropFirst(40).dropLast(40))
        #expect(Spectrum.roughness(middle) < 1.15 * Spectrum.roughness(Self.sine(highest, count: 1000)))
        let covered = buffers.reduce(0) { $0 + Double($1.frameCount) * $1.rate }
        #expect(abs(covered - Double(input.count)) < 4)
    }

    @Test func otherAlgorithmWithoutAClick() {
        let stretcher = OverlapStretcher()
        var result: [Float] = []
        let input = Self.sine(200, count: 40 * 1024)
        for block in 0..<40 {
            stretcher.set(rate: 1.5, algorithm: block / 8 % 2 == 0 ? .timeDomain : .varispeed)
            let part = Array(input[block * 1024..<(block + 1) * 1024])
            result += Self.samples(stretcher.stretch(Self.buffer(part, at: block * 1024)))
        }
        result += Self.samples(stretcher.finish())
        let expected = 40.0 * 1024 / 1.5
        #expect(abs(Double(result.count) - expected) < 2)
        #expect(Spectrum.roughness(result) < 1.3 * Spectrum.roughness(Self.sine(300, count: 1000)))
    }

    /// The time of each buffer is that of its first sample, so each buffer begins where the previous one ends on the
    /// item's timeline.
    @Test(arguments: [0.25, 0.7, 1.5, 4])
    func times(rate: Double) {
        let buffers = Self.run(Self.sine(440, count: 3 * Self.sampleRate)) { _ in rate }
        var covered = 0.0
        for buffer in buffers {
            #expect(abs(buffer.presentationTime.seconds - covered) < 1.0 / Double(Self.sampleRate))
            #expect(buffer.rate == rate)
            covered += Double(buffer.frameCount) * rate / Double(Self.sampleRate)
        }
        #expect(abs(covered - 3) < 0.001)
    }

    /// A click is audible at its time, within the length of a segment.
    @Test(arguments: [0.5, 0.8, 1.5, 2, 4])
    func clicksKeepTheirTime(rate: Double) {
        var input = [Float](repeating: 0, count: 4 * Self.sampleRate)
        for second in 1..<4 { input[second * Self.sampleRate] = 1 }
        let buffers = Self.run(input) { _ in rate }
        let result = Self.samples(buffers)
        for second in 1..<4 {
            let place = Int(Double(second * Self.sampleRate) / rate)
            let reach = Self.sampleRate * 3 / 100
            let near = result[max(0, place - reach)..<min(result.count, place + reach)]
            #expect((near.map(abs).max() ?? 0) > 0.2, "the click of second \(second) at \(rate)")
        }
    }

    /// Stretched audio joins unstretched audio before and after it without losing a sample.
    @Test(arguments: AudioTimePitchAlgorithm.allCases, [0.5, 2])
    func joinsPlainSound(algorithm: AudioTimePitchAlgorithm, rate: Double) {
        let block = 16 * 1024
        let input = Self.sine(200, count: 3 * block)
        let stretcher = OverlapStretcher()
        stretcher.prime(with: Self.buffer(Array(input[..<block]), at: 0))
        stretcher.set(rate: rate, algorithm: algorithm)
        var result = Array(input[..<block])
        result += Self.samples(stretcher.stretch(Self.buffer(Array(input[block..<2 * block]), at: block)))
        stretcher.set(rate: 1, algorithm: algorithm)
        result += Self.samples(stretcher.finish())
        let seam = result.count
        result += input[(2 * block)...]
        let highest = algorithm == .varispeed ? 200 * max(1, rate) : 200
        #expect(Spectrum.roughness(result) < 1.15 * Spectrum.roughness(Self.sine(highest, count: 1000)))
        let difference = abs(result[seam - 1] - input[2 * block - 1])
        #expect(difference < 1e-3)
    }

    /// If a pass ends within the output, one buffer ends there and the next one begins there.
    @Test func passesAreKeptApart() {
        let stretcher = OverlapStretcher()
        stretcher.set(rate: 2, algorithm: .timeDomain)
        let length = 1000
        var buffers: [AudioBuffer] = []
        for pass in 0..<8 {
            let samples = Self.sine(200, from: pass * length, count: length)
            buffers += stretcher.stretch(Self.buffer(samples, at: 0, pass: pass))
        }
        buffers += stretcher.finish()
        for pass in 0..<8 {
            let mine = buffers.filter { $0.pass == pass }
            #expect(mine.reduce(0) { $0 + $1.frameCount } == length / 2)
            #expect(mine.first?.presentationTime == .zero)
        }
    }

    @Test(arguments: [0.1, 6, 32])
    func silentBeyond(rate: Double) {
        let count = 6 * Self.sampleRate
        let input = Self.sine(440, count: count)
        let buffers = Self.run(input) { _ in rate }
        let result = Self.samples(buffers)
        #expect(result.count == Int((Double(count) / rate).rounded()))
        #expect(result.allSatisfy { $0 == 0 })
    }

    /// Audio fades out where playback changes to a rate that is not played, and fades in where it changes back.
    @Test func fadesAtRatesBeyond() {
        let rates = [2.0, 8, 2]
        let every = 20 * 1024
        let result = Self.samples(
            Self.run(Self.sine(200, count: rates.count * every)) { rates[$0 / every] }
        )
        #expect(Spectrum.roughness(result) < 1.5 * Spectrum.roughness(Self.sine(200, count: 1000)))
        // The middle of the second part.
        #expect(result[every / 2 + every / 16] == 0)
    }

    @Test func oddInput() {
        let stretcher = OverlapStretcher()
        #expect(stretcher.finish().isEmpty)
        stretcher.set(rate: .nan, algorithm: .timeDomain)
        #expect(Self.samples(stretcher.stretch(Self.buffer([], at: 0))).isEmpty)
        stretcher.set(rate: 2, algorithm: .varispeed)
        #expect(stretcher.stretch(Self.buffer([0.5], at: 0)).isEmpty)
        #expect(Self.samples(stretcher.finish()).count <= 1)
        stretcher.reset()
        stretcher.set(rate: 0.25, algorithm: .timeDomain)
        let short = stretcher.stretch(Self.buffer(Self.sine(440, count: 10), at: 0)) + stretcher.finish()
        #expect(Self.samples(short).count == 40)
    }
}

/// Measurements of a sequence of samples.
enum Spectrum {
    /// Returns the strongest frequency within an octave of `center`, by a coarse and then a fine scan.
    static func peak(of samples: [Float], sampleRate: Int, near center: Double) -> Double {
        let window = samples.dropFirst(samples.count / 4).prefix(sampleRate / 2)
        let shaped = window.enumerated().map { index, value in
            Double(value) * (0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(window.count)))
        }
        func strongest(_ frequencies: [Double]) -> Double {
            frequencies.max { power(shaped, $0, sampleRate) < power(shaped, $1, sampleRate) } ?? 0
        }
        let coarse = strongest((0...120).map { center / 2 * pow(4, Double($0) / 120) })
        return strongest((-40...40).map { coarse * (1 + Double($0) / 2000) })
    }

    /// Returns the power of a frequency by the Goertzel algorithm.
    static func power(_ samples: [Double], _ frequency: Double, _ sampleRate: Int) -> Double {
        let factor = 2 * cos(2 * .pi * frequency / Double(sampleRate))
        var (before, last) = (0.0, 0.0)
        for sample in samples { (before, last) = (last, sample + factor * last - before) }
        return last * last + before * before - factor * last * before
    }

    /// Returns the largest second difference of the samples. A click has a larger one than any tone in the audio.
    static func roughness(_ samples: [Float]) -> Float {
        var most: Float = 0
        for index in 2..<max(2, samples.count) {
            most = max(most, abs(samples[index] - 2 * samples[index - 1] + samples[index - 2]))
        }
        return most
    }
}
