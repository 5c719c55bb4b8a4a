import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

@Suite("Seeks through the pipeline")
struct SeekTests {
    static let clip = PlaybackTests.clip

    @Test("An exact seek shows the picture due then", arguments: 0..<200)
    func exact(sample: Int) {
        let rig = Rig(seed: UInt64(sample))
        rig.load(Self.clip)
        rig.driver.run(atMost: 1)
        var random = SplitMix64(UInt64(sample))
        let millisecond = Int64.random(in: 0..<2000, using: &random)
        rig.seek(1, to: .ms(millisecond))
        rig.driver.run(atMost: 1)
        #expect(rig.sink.numbers == [0, Int(millisecond / 40)], "to \(millisecond) ms")
        #expect(rig.lines("completed") == rig.lines("seek 1 completed true"))
        #expect(rig.loop.snapshot.itemTime(at: rig.driver.now) == .ms(millisecond))
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == [0] + Array(Int(millisecond / 40)..<50))
        let first = Int(millisecond) * 48
        #expect(rig.sound.samples == Array(PlaybackTests.allSamples[first...]))
    }

    @Test("A quick seek lands on the key frame at or before, and sound starts with it")
    func quick() {
        let rig = Rig()
        rig.load(Self.clip)
        rig.driver.run(atMost: 1)
        rig.seek(1, to: .ms(1130), tolerance: .positiveInfinity)
        rig.driver.run(atMost: 1)
        #expect(rig.sink.numbers == [0, 20])
        #expect(rig.loop.snapshot.itemTime(at: rig.driver.now) == .ms(800))
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sound.samples == Array(PlaybackTests.allSamples[38_400...]))
    }

    @Test("A window is kept", arguments: [0, 40, 100, 300, 1000])
    func tolerance(before: Int64) {
        let rig = Rig()
        rig.load(Self.clip)
        rig.driver.run(atMost: 1)
        rig.seek(1, to: .ms(1130), tolerance: .ms(before))
        rig.driver.run(atMost: 1)
        let landed = rig.loop.snapshot.itemTime(at: rig.driver.now)
        #expect(landed >= .ms(1130 - before) && landed <= .ms(1130))
    }

    @Test("A storm of seeks: each is answered once, the last one is where we are, and pictures are shown")
    func storm() {
        let rig = Rig(seed: 42)
        rig.load(Self.clip)
        rig.driver.run(atMost: 1)
        for number in 1...200 {
            rig.seek(UInt64(number), to: .ms(Int64(number * 9)))
            for _ in 0..<25 { rig.driver.step() }
        }
        rig.driver.run(atMost: 1)
        for number in 1...200 {
            #expect(rig.lines("seek \(number) completed").count == 1)
        }
        #expect(rig.lines("seek 200 completed true").count == 1)
        #expect(rig.sink.numbers.last == 45)
        #expect(rig.sink.numbers.count > 10)
    }

    @Test("Before the item is open a seek is the start position: no other picture is shown")
    func beforeOpen() {
        let rig = Rig()
        rig.load(Self.clip)
        rig.seek(1, to: .ms(1000))
        rig.driver.run(atMost: 1)
        #expect(rig.sink.numbers == [25])
        #expect(rig.lines("seek 1 completed true").count == 1)
    }

    @Test("Out of range is clamped; no time at all is refused")
    func oddTargets() {
        let rig = Rig()
        rig.load(Self.clip)
        rig.driver.run(atMost: 1)
        rig.seek(1, to: .ms(-500))
        rig.driver.run(atMost: 1)
        rig.seek(2, to: .ms(99_000))
        rig.driver.run(atMost: 1)
        rig.seek(3, to: .positiveInfinity)
        rig.driver.run(atMost: 1)
        rig.seek(4, to: .invalid)
        rig.seek(5, to: .indefinite)
        rig.driver.run(atMost: 1)
        #expect(rig.sink.numbers == [0, 0, 49, 49])
        #expect(rig.lines("completed true").count == 3)
        #expect(rig.lines("completed false").count == 2)
    }

    @Test("A container whose index lands late is asked again, earlier")
    func lateLanding() {
        let media = ScriptedMedia(
            video: .init(frameCount: 500, frameRate: 25, keyInterval: 25),
            faults: [.seeksLate(keyFrames: 2)]
        )
        for (target, picture) in [(4000, 100), (10_500, 262), (500, 12), (19_900, 497)] as [(Int64, Int)] {
            let rig = Rig()
            rig.load(media)
            rig.driver.run(atMost: 1)
            rig.seek(1, to: .ms(target))
            rig.driver.run(atMost: 1)
            #expect(rig.sink.numbers.last == picture, "to \(target) ms")
            #expect(rig.lines("seek 1 completed true").count == 1)
        }
    }

    @Test("While playing, a seek goes on playing from there")
    func whilePlaying() {
        let rig = Rig()
        rig.load(Self.clip)
        rig.loop.send(.setRate(1))
        rig.driver.run(seconds: 0.3)
        rig.seek(1, to: .ms(1500))
        #expect(rig.driver.run(atMost: 60))
        #expect(rig.sink.numbers == Array(0...7) + Array(37..<50))
        #expect(rig.driver.now == HostTime(nanoseconds: 800_000_000))
    }
}
