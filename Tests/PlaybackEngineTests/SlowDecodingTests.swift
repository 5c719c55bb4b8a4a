import MediaCore
import PlaybackEngine
import PlayheadTesting
import TestSupport
import Testing

/// A case in which decoding is temporarily too slow for the rate.
struct SlowCase: CustomTestStringConvertible {
    /// The frame rate in frames per second.
    static let frameRate: Int32 = 50

    /// The decoding time of a frame under load, relative to the frame's duration at the rate.
    var cost: Double
    var groupLength: Int
    var bFrames: Int
    var rate: Float
    var hasAudio: Bool
    /// The range of host seconds with load.
    var load = 1.0..<8.0
    /// The relative decoding time without load.
    var idleCost = 0.4

    var testDescription: String {
        "\(cost) x \(rate), group \(groupLength), \(bFrames) B\(hasAudio ? ", audio" : "")"
    }

    /// The distance between key frames in host seconds.
    var group: Double { Double(groupLength) / Double(Self.frameRate) / Double(rate) }

    /// The decoding time of a frame under load, in host seconds.
    var decodingTime: Double { cost / Double(Self.frameRate) / Double(rate) }

    func media(seconds: Double) -> ScriptedMedia {
        let frames = Int(seconds * Double(rate) * Double(Self.frameRate))
        var media = ScriptedMedia(
            video: .init(
                frameCount: frames,
                frameRate: Self.frameRate,
                keyInterval: groupLength,
                bFrames: bFrames
            ),
            audio: hasAudio ? .init(sampleCount: frames * 48_000 / Int(Self.frameRate)) : nil
        )
        let interval = 1e9 / Double(Self.frameRate) / Double(rate)
        media.decodingTimes = { [load, cost, idleCost] _, now in
            Int64(interval * (load.contains(Double(now.nanoseconds) / 1e9) ? cost : idleCost))
        }
        return media
    }
}

/// Plays a case to its end, and records when each frame was shown.
final class SlowRun {
    struct Shown {
        var number: Int
        var host: Double
        /// The lateness in seconds.
        var lateness: Double
    }

    let bench = EngineTestBench(isRealTime: true)
    let audio: TimedAudioSink
    let start: HostTime
    private let rate: Double

    convenience init(_ slow: SlowCase, seconds: Double = 12) {
        self.init(slow.media(seconds: seconds), rate: slow.rate)
    }

    init(_ media: ScriptedMedia, rate: Float) {
        audio = TimedAudioSink(clock: bench.driver.clock)
        let backend = ScriptedBackend(ScriptedMedia(), driver: bench.driver)
        let output = AudioOutputLane(
            driver: bench.driver,
            sink: audio,
            makeConverter: { backend.makeAudioConverter(to: $0) },
            report: { _ in }
        )
        bench.loop.perform { $0.setAudio(output) }
        bench.load(media)
        bench.driver.settle()
        start = bench.driver.now
        self.rate = Double(rate)
        bench.loop.send(.setRate(rate))
    }

    func shown() -> [Shown] {
        let frameRate = Double(SlowCase.frameRate)
        return bench.videoSink.calls.compactMap {
            guard case .present(let number, let time, _, let host) = $0 else { return nil }
            let at = Double(host - start.nanoseconds) / 1e9
            return Shown(
                number: Int((time.seconds * frameRate).rounded()) == number ? number : -1,
                host: at,
                lateness: at - time.seconds / rate
            )
        }
    }

    /// Returns the longest period in which every shown frame was late by more than 0.1 s.
    static func longestLatePeriod(_ shown: [Shown]) -> Double {
        var longest = 0.0
        var since: Double?
        for frame in shown {
            if frame.lateness > 0.1 {
                since = since ?? frame.host
            } else {
                if let begin = since { longest = max(longest, frame.host - begin) }
                since = nil
            }
        }
        if let since, let last = shown.last { longest = max(longest, last.host - since) }
        return longest
    }
}

/// A sink that records the time and the number of the samples it receives.
final class TimedAudioSink: AudioSink {
    private let clock: any HostClock
    private let writes = Locked([(host: HostTime, count: Int)]())

    init(clock: any HostClock) { self.clock = clock }

    func start(_ format: AudioFormat) throws -> AudioFormat { format }
    func write(_ buffer: AudioBuffer) throws {
        writes.withLock { $0.append((clock.now, buffer.frameCount)) }
    }
    func setPaused(_ isPaused: Bool) {}
    func flush() {}
    func finish() {}

    var count: Int { writes.withLock { $0.reduce(0) { $0 + $1.count } } }

    /// Returns the largest time by which samples arrived after the preceding ones had ended, in seconds. It is
    /// negative if they always arrived before.
    func worstGap(start: HostTime) -> Double {
        var before = 0
        var worst = -Double.infinity
        for (host, count) in writes.withLock({ $0 }) {
            worst = max(worst, Double(host.nanoseconds - start.nanoseconds) / 1e9 - Double(before) / 48_000)
            before += count
        }
        return worst
    }
}

// Rule: dropping
@Suite("Decoding that is too slow")
struct SlowDecodingTests {
    static let table: [SlowCase] = {
        var all: [SlowCase] = []
        for cost in [0.8, 1.2, 2, 4] {
            for (group, bFrames) in [(1, 0), (10, 2), (50, 0), (50, 2), (500, 0), (500, 2)] {
                for rate: Float in [0.5, 1, 2] {
                    let slow = SlowCase(
                        cost: cost,
                        groupLength: group,
                        bFrames: bFrames,
                        rate: rate,
                        hasAudio: rate == 1
                    )
                    all.append(slow)
                }
            }
        }
        return all
    }()

    /// The longest allowed period of late frames: a group of pictures, the time to detect the overload, and the
    /// decoding of a few frames, because only frames show lateness.
    private func allowedLatePeriod(_ slow: SlowCase) -> Double { slow.group + 0.4 + 6 * slow.decodingTime }

    @Test(
        "The clock is kept, audio continues, and every frame is shown again when there is time",
        arguments: table.samples
    )
    func keepsClock(slow: SlowCase) {
        let run = SlowRun(slow)
        run.bench.driver.run(atMost: 60)
        let shown = run.shown()
        let counters = run.bench.loop.snapshot.counters
        let frames = Int(12 * slow.rate) * Int(SlowCase.frameRate)
        #expect(shown.count + counters.framesDropped == frames)
        #expect(shown.map(\.number) == shown.map(\.number).sorted() && shown.first?.number == 0)
        if slow.cost < 1 {
            #expect(counters.framesDropped == 0)
            #expect(run.bench.lines("decoding") == [])
        } else {
            #expect(run.bench.lines("decodingFellBehind").count == 1)
        }
        #expect(SlowRun.longestLatePeriod(shown) <= allowedLatePeriod(slow))
        // Two seconds after the load, or at the end of a group of pictures that was skipped.
        let isLong = slow.group > 2
        let whole = isLong ? 20.5 : 10
        let last = shown.filter { $0.host >= whole }.map(\.number)
        let first = Int(whole * Double(slow.rate)) * Int(SlowCase.frameRate)
        #expect(last == Array(min(first, frames)..<frames))
        #expect(counters.stalls == 0)
        #expect(run.bench.lines("playedToEnd").count == 1)
        guard slow.hasAudio else { return }
        #expect(run.audio.count == frames * 48_000 / Int(SlowCase.frameRate))
        #expect(run.audio.worstGap(start: run.start) <= 0)
    }

    @Test(
        "If decoding takes 0.8 of the time, and more for some frames, no frame is skipped",
        arguments: 0..<8 as Range<UInt64>
    )
    func jitter(seed: UInt64) {
        var random = SplitMix64(seed)
        // Key frames take four times the available time, and the others between a third and a little more than
        // all of it.
        let costs = (0..<600).map { $0 % 50 == 0 ? 4 : Double.random(in: 0.35...1.1, using: &random) }
        var media = SlowCase(cost: 1, groupLength: 50, bFrames: 2, rate: 1, hasAudio: true).media(seconds: 12)
        media.decodingTimes = { frame, _ in Int64(costs[frame] * 20_000_000) }
        let run = SlowRun(media, rate: 1)
        run.bench.driver.run(atMost: 60)
        #expect(run.bench.lines("decoding") == [])
        #expect(run.bench.loop.snapshot.counters.worstLateness < .milliseconds(150))
        #expect(run.audio.worstGap(start: run.start) <= 0)
    }

    private static let slow = SlowCase(
        cost: 2,
        groupLength: 50,
        bFrames: 2,
        rate: 1,
        hasAudio: true,
        load: 0..<100
    )

    /// Returns a run that has fallen behind and skips frames.
    private func skipping(_ slow: SlowCase = slow) -> SlowRun {
        let run = SlowRun(slow)
        run.bench.driver.run(seconds: 3.3)
        #expect(run.bench.lines("decodingFellBehind").count == 1)
        #expect(run.bench.loop.snapshot.counters.framesDropped > 0)
        return run
    }

    @Test("A seek while frames are skipped shows the frame at its target")
    func seek() {
        let run = skipping()
        for (id, target) in [(1, 700), (2, 9220), (3, 100)] as [(UInt64, Int64)] {
            run.bench.seek(id, to: .ms(target))
            let before = run.bench.videoSink.numbers.count
            run.bench.driver.run(seconds: 1.5)
            #expect(run.bench.videoSink.numbers.dropFirst(before).first == Int(target) / 20)
            #expect(run.bench.lines("seek \(id) completed true").count == 1)
        }
        // A seek with unlimited tolerance shows its key frame.
        run.bench.seek(4, to: .ms(8500), tolerance: .positiveInfinity)
        let before = run.bench.videoSink.numbers.count
        run.bench.driver.run(seconds: 0.5)
        #expect(run.bench.videoSink.numbers.dropFirst(before).first == 400)
        #expect(run.bench.loop.snapshot.counters.stalls == 0)
    }

    @Test(
        "A pause while frames are skipped stops playback, steps go to the next frame, and playback continues"
    )
    func pause() {
        let run = skipping()
        run.bench.loop.send(.setRate(0))
        run.bench.driver.run(seconds: 2)
        let dropped = run.bench.loop.snapshot.counters.framesDropped
        run.bench.driver.run(seconds: 2)
        #expect(run.bench.loop.snapshot.counters.framesDropped == dropped)
        let before = run.bench.videoSink.numbers.count
        for _ in 0..<12 {
            run.bench.loop.send(.step(1))
            run.bench.driver.run(seconds: 0.3)
        }
        let stepped = run.bench.videoSink.numbers.dropFirst(before)
        #expect(stepped.count == 12)
        // Frames decoded before the pause have gaps; those decoded for the steps have none.
        #expect(zip(stepped.suffix(7), stepped.suffix(7).dropFirst()).allSatisfy { $0 + 1 == $1 })
        run.bench.loop.send(.setRate(1))
        run.bench.driver.run(atMost: 60)
        #expect(run.bench.lines("playedToEnd").count == 1)
    }

    @Test("At the seam of a loop the clock is kept and audio continues", arguments: [0, 2], [50, 500])
    func seam(bFrames: Int, group: Int) {
        var slow = Self.slow
        slow.bFrames = bFrames
        slow.groupLength = group
        let bench = EngineTestBench(audio: .device())
        bench.load(slow.media(seconds: 2))
        bench.loop.send(.setRepeat(.loop))
        bench.play()
        // The device is audible a little later.
        bench.driver.run(seconds: 12.4)
        // Six passes of two seconds.
        #expect(bench.lines("playedToEnd").count == 6)
        #expect(bench.audioDevice.underruns == 0)
        let heard = bench.audioDevice.heard
        #expect(heard.count == 1)
        let expected = (0..<6).flatMap { _ in AudioSeamTests.numbers(96_000) }
        #expect(
            AudioSeamTests.firstDifference(
                Array((heard.first?.samples ?? []).prefix(expected.count)),
                expected
            ) == nil
        )
        let keys = bench.videoSink.numbers.filter { $0 == 0 }.count
        #expect(keys == 7)
    }

    @Test("A lower rate decodes all frames again, and a higher one skips more")
    func rates() {
        let run = skipping()
        run.bench.loop.send(.setRate(0.4))
        run.bench.driver.run(seconds: 3)
        let before = run.bench.videoSink.numbers.count
        run.bench.driver.run(seconds: 2)
        let slow = Array(run.bench.videoSink.numbers.dropFirst(before))
        #expect(slow.count >= 39)
        #expect(zip(slow, slow.dropFirst()).allSatisfy { $0 + 1 == $1 })
        run.bench.loop.send(.setRate(2))
        run.bench.driver.run(atMost: 60)
        #expect(run.bench.lines("playedToEnd").count == 1)
        #expect(run.bench.loop.snapshot.counters.stalls == 0)
    }

    @Test("In reverse, fewer frames are decoded; decoding all of them would take 24 s")
    func backward() {
        let run = SlowRun(Self.slow)
        run.bench.seek(1, to: .positiveInfinity)
        run.bench.driver.settle()
        run.bench.loop.send(.setRate(-1))
        let begin = run.bench.driver.now
        run.bench.driver.run(atMost: 60)
        #expect(run.bench.lines("playedToEnd at 0.000000").count == 1)
        #expect(run.bench.driver.now.nanoseconds - begin.nanoseconds < 17_000_000_000)
    }

    @Test("Players that share a core that is too slow skip frames one by one, without oscillating")
    func shared() {
        // Three players share one core, and each of them needs 0.45 of it.
        let driver = ManualDriver(isRealTime: true)
        var media = SlowCase(cost: 0.45, groupLength: 50, bFrames: 2, rate: 1, hasAudio: false, load: 0..<100)
            .media(seconds: 30)
        media.faults = []
        let benches = (0..<3).map { _ in EngineTestBench(driver: driver) }
        for bench in benches { bench.load(media) }
        driver.settle()
        for bench in benches { bench.loop.send(.setRate(1)) }
        driver.run(atMost: 120)
        for bench in benches {
            let counters = bench.loop.snapshot.counters
            #expect(counters.framesPresented + counters.framesDropped == 1500)
            #expect(counters.framesPresented > 600)
            #expect(counters.worstLateness < .milliseconds(500))
            #expect(bench.lines("decodingFellBehind").count <= 2)
        }
        let shown = benches.map { $0.loop.snapshot.counters.framesPresented }.reduce(0, +)
        #expect(shown > 2200)
    }
}
