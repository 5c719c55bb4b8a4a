import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Audio clock follower and timeline corrections")
struct AudioClockFollowerTests {
    private static func reading(_ media: Double, at host: Double, underruns: Int = 0, epoch: UInt64 = 0)
        -> AudioClockReading
    {
        AudioClockReading(
            media: Self.media(Int64(media * 1e6)),
            host: HostTime(nanoseconds: Int64(host * 1e6)),
            underruns: underruns,
            epoch: Epoch(epoch)
        )
    }

    /// A point on the timeline, in nanoseconds.
    private static func media(_ nanoseconds: Int64) -> TimelineTime {
        TimelineTime(nanoseconds: nanoseconds)
    }

    @Test(
        "At a start the timeline is adjusted to the audio, up to the maximum start delay",
        arguments: [
            (0.0, AudioClockCorrection.pace(0)), (2, .pace(0)), (-2, .pace(0)), (25, .step(25_000_000)),
            (-25, .hold(25_000_000)), (-390, .hold(390_000_000)), (390, .step(390_000_000)),
            (410, .restartAudio), (-990, .hold(990_000_000)), (-2510, .restartAudio), (5000, .restartAudio),
        ]
    )
    func meeting(offset: Double, wanted: AudioClockCorrection) {
        var follower = AudioClockFollower()
        follower.start()
        #expect(
            follower.follow(Self.reading(1000 + offset, at: 0), timeline: Self.media(1_000_000_000)) == wanted
        )
        #expect(follower.isFollowing == (wanted != .restartAudio))
    }

    @Test(
        "Audio that starts during playback is adjusted to the timeline",
        arguments: [
            (2.0, AudioClockCorrection.pace(0)), (25, .moveAudio(-25_000_000)), (-25, .moveAudio(25_000_000)),
            (-390, .moveAudio(390_000_000)), (-410, .restartAudio),
        ]
    )
    func meetingLate(offset: Double, wanted: AudioClockCorrection) {
        var follower = AudioClockFollower()
        follower.start()
        let wasFollowing = follower.stopFollowing()
        #expect(!wasFollowing)
        #expect(
            follower.follow(Self.reading(1000 + offset, at: 0), timeline: Self.media(1_000_000_000)) == wanted
        )
    }

    @Test("A reading of another epoch is dropped")
    func epochs() {
        var timeline = Timeline()
        timeline.jump(to: .zero, epoch: Epoch(3), at: .zero)
        timeline.setRate(.normal, at: .zero)
        var follower = AudioClockFollower()
        let old = Self.reading(900, at: 0, epoch: 2)
        #expect(follower.follow(old, timeline: timeline.line(at: old.host, epoch: old.epoch)) == nil)
        #expect(!follower.isFollowing)
        timeline.hold(for: 1000, epoch: Epoch(2), at: .zero)
        timeline.step(by: 1000, epoch: Epoch(2), at: .zero)
        timeline.correct(by: 1000, epoch: Epoch(2), at: .zero)
        #expect(timeline.media(at: HostTime(nanoseconds: 5000)) == Self.media(5000))
    }

    @Test("A single outlier is ignored; three in a row move the timeline")
    func wildReadings() {
        var follower = AudioClockFollower()
        follower.start()
        _ = follower.follow(Self.reading(0, at: 0), timeline: .zero)
        #expect(follower.follow(Self.reading(100, at: 50), timeline: Self.media(50_000_000)) == nil)
        #expect(follower.follow(Self.reading(100, at: 100), timeline: Self.media(100_000_000)) == .pace(0))
        #expect(follower.follow(Self.reading(200, at: 150), timeline: Self.media(150_000_000)) == nil)
        #expect(follower.follow(Self.reading(250, at: 200), timeline: Self.media(200_000_000)) == nil)
        #expect(
            follower.follow(Self.reading(300, at: 250), timeline: Self.media(250_000_000))
                == .step(50_000_000)
        )
    }

    @Test("After an underrun the audio catches up")
    func underrun() {
        var follower = AudioClockFollower()
        follower.start()
        _ = follower.follow(Self.reading(0, at: 0), timeline: .zero)
        let late = Self.reading(30, at: 50, underruns: 1)
        #expect(follower.follow(late, timeline: Self.media(50_000_000)) == .moveAudio(20_000_000))
        // Audio that was on its way to the device is not measured again.
        #expect(
            follower.follow(Self.reading(80, at: 100, underruns: 1), timeline: Self.media(100_000_000)) == nil
        )
    }

    @Test(
        "With noisy readings of a drifting device, the drift is learnt and time never runs backward",
        arguments: 1...20
    )
    func noise(seed: UInt64) {
        var random = SplitMix64(seed)
        let drift = Double.random(in: -500...500, using: &random)
        var follower = AudioClockFollower()
        var timeline = Timeline()
        timeline.setRate(.normal, at: .zero)
        follower.start()
        var last = TimelineTime.zero
        for turn in 0..<2400 {
            let host = HostTime(nanoseconds: Int64(turn) * 50_000_000)
            let noise = Int64.random(in: -1_000_000...1_000_000, using: &random)
            let exact = Double(host.nanoseconds) * (1 + drift / 1e6)
            let reading = AudioClockReading(
                media: Self.media(Int64(exact) + noise),
                host: host,
                epoch: Epoch()
            )
            switch follower.follow(reading, timeline: timeline.line(at: host, epoch: Epoch())) {
            case .pace(let pace): timeline.correct(by: pace, epoch: Epoch(), at: host)
            case nil: break
            case let other: Issue.record("seed \(seed): \(String(describing: other))")
            }
            let now = timeline.media(at: host)
            #expect(now >= last, "seed \(seed)")
            last = now
            if turn > 100 { #expect(abs(Double(now.nanoseconds) - exact) < 1e6, "seed \(seed)") }
        }
        #expect(abs(follower.facts.drift - drift) < 40, "seed \(seed), drift \(drift)")
    }

    @Test("A timeline that holds, steps and changes its pace never runs backward", arguments: 1...50)
    func timeline(seed: UInt64) {
        var random = SplitMix64(seed)
        var timeline = Timeline()
        timeline.setRate(.normal, at: HostTime(nanoseconds: 500))
        var host = HostTime.zero
        var last = TimelineTime.zero
        for _ in 0..<500 {
            host = host.advanced(by: Int64.random(in: 0...50_000_000, using: &random))
            let amount = Int64.random(in: 0...60_000_000, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0: timeline.hold(for: amount, epoch: Epoch(), at: host)
            case 1: timeline.step(by: amount, epoch: Epoch(), at: host)
            case 2: timeline.correct(by: amount / 10_000 - 3000, epoch: Epoch(), at: host)
            default: break
            }
            let now = timeline.media(at: host)
            #expect(now >= last, "seed \(seed)")
            last = now
            // The two conversions are inverse to each other.
            let media = now + amount
            if let due = timeline.host(for: media) {
                #expect(timeline.media(at: due) >= media, "seed \(seed)")
            }
        }
    }

    @Test("A step shortens a hold before it skips any media")
    func heldAndLeaped() {
        var timeline = Timeline()
        timeline.setRate(.normal, at: .zero)
        timeline.hold(for: 100, epoch: Epoch(), at: HostTime(nanoseconds: 1000))
        timeline.step(by: 40, epoch: Epoch(), at: HostTime(nanoseconds: 1010))
        #expect(timeline.media(at: HostTime(nanoseconds: 1060)) == Self.media(1000))
        #expect(timeline.media(at: HostTime(nanoseconds: 1070)) == Self.media(1010))
    }

    @Test("The sample map maps samples to the timeline, across a gap and at another rate")
    func sampleMap() {
        var sampleMap = AudioSampleMap()
        #expect(sampleMap.media(of: 0) == nil)
        sampleMap.append(480, media: .zero, rate: .normal, sampleRate: 48_000, epoch: Epoch(1), pass: 0)
        sampleMap.append(
            480,
            media: Self.media(30_000_000),
            rate: PlaybackRate(2),
            sampleRate: 48_000,
            epoch: Epoch(1),
            pass: 1
        )
        #expect(sampleMap.media(of: 240) == Self.media(5_000_000))
        #expect(sampleMap.media(of: -48) == Self.media(-1_000_000))
        #expect(sampleMap.media(of: 480) == Self.media(30_000_000))
        #expect(sampleMap.media(of: 720) == Self.media(40_000_000))
        #expect(sampleMap.epoch == Epoch(1))
        sampleMap.begin()
        #expect(sampleMap.flushCount == 1)
        #expect(sampleMap.media(of: 0) == nil)
        for index in 0..<5000 {
            let media = Self.media(Int64(index) * 10_000_000)
            sampleMap.append(480, media: media, rate: .normal, sampleRate: 48_000, epoch: Epoch(2), pass: 0)
        }
        #expect(sampleMap.media(of: 4990 * 480) == Self.media(49_900_000_000))
    }
}
