import FFmpeg
import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// Two seconds of a 480 Hz tone at 48 kHz with 16 bits.
private let tone = Fixture.url("tone-48000.wav")
private let length = 96_000

/// Returns the frequency, determined by counting the upward zero crossings.
private func frequency(_ samples: [Float], sampleRate: Double = 48_000) -> Double {
    let crossings = (1..<samples.count).filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return Double(crossings.count - 1) * sampleRate / Double(last - first)
}

/// Returns whether as many samples were played as the tone has at a rate, to within one.
private func isExpectedCount(_ count: Int, at rate: Float) -> Bool {
    let expected = Double(length) / Double(rate)
    return abs(Double(count) - expected) <= 1
}

@Suite("Audio: pitch, mix, taps, volume", .enabled(if: Fixture.areThere))
struct AudioContractTests {
    private let plain: [Float]

    init() async { plain = await Recording.play(PlayerItem(url: tone)).samples }

    @Test(
        "Time-stretching keeps the pitch, and the length is right",
        arguments: [0.25, 0.5, 1.5, 2, 4] as [Float]
    )
    func pitch(rate: Float) async {
        let item = PlayerItem(url: tone)
        #expect(item.audioTimePitchAlgorithm == .timeDomain)
        let heard = await Recording.play(item, rate: rate)
        #expect(isExpectedCount(heard.samples.count, at: rate))
        #expect(abs(frequency(heard.samples) / 480 - 1) < 0.01)
        // Each buffer begins where the previous one ended.
        var end = 0.0
        for buffer in heard.buffers {
            #expect(abs(buffer.presentationTime.seconds - end) < 0.0001)
            end += buffer.itemDuration.seconds
        }
    }

    @Test("Varispeed changes the pitch with the rate", arguments: [0.5, 1.5, 2, 4] as [Float])
    func varispeed(rate: Float) async {
        let item = PlayerItem(url: tone)
        item.audioTimePitchAlgorithm = .varispeed
        let samples = await Recording.play(item, rate: rate).samples
        #expect(isExpectedCount(samples.count, at: rate))
        #expect(abs(frequency(samples) / (480 * Double(rate)) - 1) < 0.01)
    }

    @Test("Rates outside 0.25 to 4 play silence of the right length", arguments: [0.2, 8] as [Float])
    func beyond(rate: Float) async {
        let samples = await Recording.play(PlayerItem(url: tone), rate: rate).samples
        #expect(isExpectedCount(samples.count, at: rate))
        #expect(samples.allSatisfy { $0 == 0 })
    }

    /// Changes the rate during playback. Nothing is flushed, and the slope of the signal never exceeds that of the
    /// tone.
    @Test("Rate changes cause no clicks")
    func rateChanges() async {
        let item = PlayerItem(url: tone)
        let observers = Locked([TimeObserver]())
        let heard = await Recording.play(item) { player, event in
            guard case .itemStatusChanged(_, .readyToPlay) = event else { return }
            let rates: [Float] = [2, 0.5, 1, 1.5, 3]
            let made = rates.enumerated().map { index, rate in
                let time = MediaTime.ms(Int64(index + 1) * 300)
                return player.addBoundaryTimeObserver(forTimes: [time]) { [weak player] in player?.rate = rate
                }
            }
            observers.withLock { $0 = made }
        }
        observers.withLock { $0 = [] }
        let samples = heard.samples
        let own = 0.25 * pow(2 * sin(.pi * 0.01), 2)
        var most: Float = 0
        for index in 2..<samples.count {
            most = max(most, abs(samples[index] - 2 * samples[index - 1] + samples[index - 2]))
        }
        #expect(Double(most) < 1.15 * own)
        let covered = heard.buffers.reduce(0) { $0 + $1.itemDuration.seconds }
        #expect(abs(covered - 2) < 0.001)
        #expect(Set(heard.buffers.map(\.rate)) == [1, 2, 0.5, 1.5, 3])
    }

    private func expect(_ samples: [Float], gains gain: (Int) -> Float) {
        #expect(samples.count == length)
        let off = (0..<length).filter { abs(samples[$0] - plain[$0] * gain($0)) > 1.1 / 32768 }
        #expect(off.first == nil, "\(off.count) samples")
    }

    @Test("Volume ramps of a track are exact to the sample")
    func mix() async {
        let item = PlayerItem(url: tone)
        var track = AudioMixInputParameters(trackID: 0)
        track.setVolume(0.5, at: .zero)
        track.setVolumeRamp(
            from: 0.5,
            to: 0,
            timeRange: MediaTimeRange(start: .ms(500), duration: .ms(500))
        )
        track.setVolumeRamp(from: 1, to: 1, timeRange: MediaTimeRange(start: .ms(1500), duration: .zero))
        var other = AudioMixInputParameters(trackID: 99)
        other.setVolume(0, at: .zero)
        item.audioMix = AudioMix(inputParameters: [track, other])
        expect(await Recording.play(item).samples) { index in
            switch index {
            case ..<24_000: 0.5
            case ..<48_000: 0.5 * Float(48_000 - index) / 24_000
            case ..<72_000: 0
            default: 1
            }
        }
        item.audioMix = AudioMix(inputParameters: [other])
        #expect(await Recording.play(item.makeCopy()).samples == plain)
    }

    @Test("Of overlapping ramps the one that began last applies, and invalid ramps change nothing")
    func overlappingRamps() {
        var track = AudioMixInputParameters(trackID: 0)
        track.setVolumeRamp(from: 0, to: 1, timeRange: MediaTimeRange(start: .zero, duration: .ms(1000)))
        track.setVolumeRamp(from: 1, to: 0, timeRange: MediaTimeRange(start: .ms(500), duration: .ms(200)))
        #expect(track.volume(at: .ms(250)) == 0.25)
        #expect(track.volume(at: .ms(600)) == 0.5)
        #expect(track.volume(at: .ms(900)) == 0)
        track.setVolume(7, at: .ms(500))
        #expect(track.volume(at: .ms(600)) == 1)
        track.setVolume(.nan, at: .ms(800))
        #expect(track.volume(at: .ms(900)) == 0)
        let before = track
        track.setVolume(0.5, at: .invalid)
        track.setVolume(0.5, at: .positiveInfinity)
        track.setVolumeRamp(from: 0, to: 1, timeRange: MediaTimeRange(start: .invalid, duration: .ms(1)))
        #expect(track == before)
        #expect(track.volumeRamp(for: .ms(250))?.end == 1)
        #expect(track.volume(at: .ms(-5)) == 1)
        #expect(track.volumeRamp(for: .ms(-5)) == nil)
    }

    @Test(
        "A meter gets every sample once, with its time, and a processing tap replaces the samples by its own"
    )
    func taps() async {
        let item = PlayerItem(url: tone)
        let metered = Locked([AudioBuffer]())
        let meter = AudioTap(metering: { buffer in metered.withLock { $0.append(buffer) } })
        item.add(
            AudioTap(processing: { buffer, channels in
                for index in channels[0].indices { channels[0][index] *= -1 }
                // Values out of range are clipped.
                channels[0].append(1)
            })
        )
        item.add(meter)
        item.add(meter)
        let samples = await Recording.play(item, rate: 1).samples
        #expect(samples == plain.map { -$0 })
        let buffers = metered.withLock { $0 }
        #expect(buffers.flatMap { $0.floatChannels[0] } == plain.map { -$0 })
        var count = 0
        for buffer in buffers {
            #expect(buffer.format.sampleFormat == .floatPlanar)
            #expect(buffer.presentationTime == MediaTime(value: Int64(count), timescale: 48_000))
            count += buffer.frameCount
        }
        item.remove(meter)
        #expect(item.audioTaps.count == 1)
    }

    @Test("Volume and mute changes are linear ramps of 15 ms, and muted audio is delivered as silence")
    func volume() async {
        let item = PlayerItem(url: tone)
        let observers = Locked([TimeObserver]())
        let samples = await Recording.play(item) { player, event in
            guard case .itemStatusChanged(_, .readyToPlay) = event else { return }
            let half = player.addBoundaryTimeObserver(forTimes: [.ms(500)]) { [weak player] in
                player?.volume = 0.5
            }
            let muted = player.addBoundaryTimeObserver(forTimes: [.ms(1500)]) { [weak player] in
                player?.isMuted = true
            }
            observers.withLock { $0 = [half, muted] }
        }.samples
        observers.withLock { $0 = [] }
        // Every hundredth sample is zero at any volume, so the following sample shows the change.
        guard let first = plain.indices.first(where: { abs(samples[$0] - plain[$0]) > 2 / 32768 }),
            let second = plain.indices.dropFirst(72_000).first(where: {
                abs(samples[$0] - plain[$0] / 2) > 2 / 32768
            })
        else {
            Issue.record("the volume did not change")
            return
        }
        // The ramp begins at the start of a buffer, a few samples before the first measurable difference.
        func ramp(_ start: Int, _ from: Float, _ to: Float) -> Bool {
            (0..<720).allSatisfy { step in
                let gain = from + (to - from) * Float(step + 1) / 720
                return abs(samples[start + step] - plain[start + step] * gain) < 1.1 / 32768
            }
        }
        let start = (first - 200...first).first { ramp($0, 1, 0.5) }
        #expect(start != nil)
        let mute = (second - 200...second).first { ramp($0, 0.5, 0) }
        #expect(mute != nil)
        guard let start, let mute else { return }
        expect(samples) { index in
            switch index {
            case ..<start: 1
            case ..<(start + 720): 1 - 0.5 * Float(index - start + 1) / 720
            case ..<mute: 0.5
            case ..<(mute + 720): 0.5 - 0.5 * Float(index - mute + 1) / 720
            default: 0
            }
        }
    }

    @Test("A volume that is set before playback causes no ramp, and at volume 1 samples are unchanged")
    func volumeBeforePlaying() async {
        let samples = await Recording.play(PlayerItem(url: tone), volume: 0.25).samples
        expect(samples) { _ in 0.25 }
        let reference = (0..<length).map { (index: Int) -> Float in
            let value: Double = 0.25 * sin(2 * .pi * 480 * Double(index) / 48_000)
            return Float((value * 32768).rounded()) / 32768
        }
        let off = plain.indices.filter { abs(plain[$0] - reference[$0]) > 1.1 / 32768 }
        #expect(off.first == nil)
    }
}

/// Tests the audio of two seconds, counted in samples, when playback ends, jumps or is muted.
@Suite("Audio at other rates, on the manual driver")
struct AudioRateContractTests {
    /// The player uses FFmpeg's time-stretching.
    private func makeBench() -> PlayerTestBench<Player> {
        let bench = PlayerTestBench(
            ScriptedMedia(video: .init(frameCount: 50), audio: .init(sampleCount: 96_000)),
            makeStretcher: { FFmpegBackend().makeAudioTimeStretcher() }
        )
        bench.player.replaceCurrentItem(with: bench.makeItem())
        return bench
    }

    @Test("At the end the sink has received all samples, and is not finished")
    func end() {
        let bench = makeBench()
        bench.player.rate = 2
        bench.driver.run(seconds: 3)
        #expect(bench.player.rate == 0)
        #expect(bench.audioSink.finishes == 0)
        #expect(bench.audioSink.samples.count == 48_000)
        // The second playback from the start has no samples left over from the first one.
        bench.player.seek(to: .zero)
        bench.player.rate = 4
        bench.driver.run(seconds: 3)
        #expect(bench.audioSink.samples.count == 48_000 + 24_000)
    }

    @Test("After a seek no samples from before it are heard")
    func seek() {
        let bench = makeBench()
        bench.player.rate = 0.5
        bench.driver.run(seconds: 1)
        bench.player.seek(to: .ms(1500), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(seconds: 0)
        let before = bench.audioSink.samples.count
        #expect(bench.audioSink.flushes > 0)
        bench.driver.run(seconds: 3)
        #expect(bench.audioSink.samples.count - before <= 48_000)
        #expect(bench.audioSink.samples.count - before > 48_000 - 7_500)
    }

    @Test("A loop is gapless: the number of samples is exactly that of its passes")
    func loop() {
        let bench = makeBench()
        bench.player.repeatMode = .loop
        bench.player.rate = 1.5
        bench.driver.run(seconds: 5)
        bench.player.repeatMode = .once
        bench.driver.run(seconds: 5)
        #expect(bench.player.rate == 0)
        let passes = bench.player.counters.passes
        #expect(passes >= 4)
        #expect(bench.audioSink.samples.count == passes * 64_000)
    }

    @Test("Muted audio is written as silence, so that sample counts stay complete")
    func muted() {
        let bench = makeBench()
        bench.player.isMuted = true
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(bench.audioSink.samples.count == 96_000)
        #expect(bench.audioSink.samples.allSatisfy { $0 == 0 })
    }
}

@Suite("Audio of MPEG layer III after a seek")
struct LayerThreeSeekTests {
    /// At these bit rates the bit reservoir is longest, in packets or in seconds.
    @Test(
        "Low bit rates have the full volume from the first sample on",
        arguments: ["-b:a 32k -ar 48000 -ac 2", "-b:a 8k -ar 8000 -ac 1"]
    )
    func volume(_ options: String) async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make("a.mp3", in: folder, "-f lavfi -i sine=f=300:d=20 \(options)")
        for start in [MediaTime.ms(12_250), .ms(7500), .ms(5100)] {
            let range = MediaTimeRange(start: start, duration: .ms(500))
            var samples: [Float] = []
            var samplesPerWindow = 0
            for try await buffer in Asset(url: url).audio(in: range) {
                samples += buffer.interleavedFloats
                samplesPerWindow = buffer.format.sampleRate * buffer.format.channelCount / 100
            }
            try #require(samplesPerWindow > 0 && samples.count >= samplesPerWindow * 49)
            // The tone has a peak of 0.08 or 0.12 in each 10 ms.
            let peaks = (0..<49).map { window in
                let part = samples[window * samplesPerWindow..<(window + 1) * samplesPerWindow]
                return part.reduce(Float(0)) { max($0, abs($1)) }
            }
            #expect(peaks.allSatisfy { $0 > 0.06 }, "\(start): \(peaks.prefix(20))")
        }
    }
}

@Suite("Audio after a seek")
struct BlockSeekTests {
    /// FFmpeg declares 16,000 bytes per second for all ADPCM, which is up to four times the rate of the blocks.
    @Test(
        "A range has the samples of its time, whatever the header declares as the byte rate",
        arguments: [
            ("-c:a adpcm_ms -ar 8000", nil), ("-c:a adpcm_ima_wav -ar 44100 -ac 2", nil),
            ("-c:a adpcm_ms -ar 8000 -f w64", nil),
            ("-c:a pcm_s16le -ar 8000", 8000), ("-c:a pcm_s16le -ar 8000", 16_000),
        ] as [(String, UInt32?)]
    )
    func samples(_ options: String, byteRate: UInt32?) async throws {
        let folder = try TemporaryFolder()
        // The frequency rises, so that no part is like another one.
        let url = try MadeFile.make("a.wav", in: folder, "-f lavfi -i aevalsrc=sin(300*t*t):d=10 \(options)")
        if let byteRate {
            var file = try Array(Data(contentsOf: url))
            file.replaceSubrange(28..<32, with: withUnsafeBytes(of: byteRate.littleEndian) { Array($0) })
            try folder.write("a.wav", file)
        }
        try await compare(url, at: [.ms(1000), .ms(6500), .ms(9000)])
    }

    @Test(
        "A range of FLAC in Ogg has the samples of its time, if the last packet of a page continues on the next one"
    )
    func pages() async throws {
        let folder = try TemporaryFolder()
        let source = "-f lavfi -i aevalsrc=0.5*sin(300*t*t):d=8:s=44100"
        let url = try MadeFile.make("a.ogg", in: folder, "\(source) -c:a flac")
        try await compare(url, at: [.ms(3000), .ms(6250), .ms(6500), .ms(7000)])
    }

    @Test("A range of ADPCM in AIFF, whose byte rate is not a whole number, has the samples of its time")
    func fractionalByteRate() async throws {
        let folder = try TemporaryFolder()
        let source = "-f lavfi -i aevalsrc=0.5*sin(300*t*t):d=10:s=44100"
        let url = try MadeFile.make("a.aif", in: folder, "\(source) -c:a adpcm_ima_qt")
        // The first block after a seek lacks the lowest 7 of 16 bits.
        try await compare(url, at: [.ms(9000), .ms(9600)], tolerance: 0.01)
    }

    /// Times of Matroska are whole milliseconds: the second packet begins after 104.49 ms and has the time 104 ms.
    @Test("A range that ends within a packet has no samples of the next one, whose time is rounded down")
    func roundedTimes() async throws {
        let folder = try TemporaryFolder()
        let source = "-f lavfi -i aevalsrc=0.5*sin(300*t*t):d=1:s=44100"
        let url = try MadeFile.make("a.mkv", in: folder, "\(source) -c:a flac")
        let whole = try await read(url, in: nil)
        let end = MediaTime(value: 1042, timescale: 10_000)
        let part = try await read(url, in: MediaTimeRange(start: .zero, end: end))
        #expect(part.samples.count == 4595)
        #expect(part.samples == Array(whole.samples.prefix(4595)))
    }

    /// Compares a quarter of a second at each time with the same part of the whole.
    private func compare(_ url: URL, at times: [MediaTime], tolerance: Float = 0) async throws {
        let whole = try await read(url, in: nil)
        for start in times {
            let part = try await read(url, in: MediaTimeRange(start: start, duration: .ms(250)))
            let first = Int(start.seconds * Double(whole.rate)) * whole.channelCount
            try #require(part.samples.count == whole.rate * whole.channelCount / 4)
            let expected = whole.samples[first..<first + part.samples.count]
            let difference = zip(part.samples, expected).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
            #expect(difference <= tolerance, "\(start)")
        }
    }

    private func read(
        _ url: URL,
        in range: MediaTimeRange?
    ) async throws -> (samples: [Float], rate: Int, channelCount: Int) {
        var result = (samples: [Float](), rate: 0, channelCount: 0)
        for try await buffer in Asset(url: url).audio(in: range) {
            result.samples += buffer.interleavedFloats
            result.rate = buffer.format.sampleRate
            result.channelCount = buffer.format.channelCount
        }
        return result
    }
}
