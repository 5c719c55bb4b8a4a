import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

/// Time passes as pictures are decoded, so that a decoder can be too slow.
@Suite("Rates that the machine cannot sustain")
struct FastTests {
    /// 40 s of pictures; 5 ms to decode one, which is 200 a second.
    private static let clip: ScriptedMedia = {
        var media = ScriptedMedia(video: .init(frameCount: 1000, frameRate: 25, keyInterval: 10, bFrames: 2))
        media.decodingTime = 5_000_000
        return media
    }()

    private func play(_ rate: Float, isRealTime: Bool = true, media: ScriptedMedia = clip) -> Rig {
        let rig = Rig(isRealTime: isRealTime)
        rig.load(media)
        rig.driver.settle()
        if rate < 0 {
            rig.seek(1, to: .positiveInfinity)
            rig.driver.settle()
        }
        rig.loop.send(.setRate(rate))
        rig.driver.run(atMost: 600)
        return rig
    }

    @Test("What it sustains is shown whole: 4 times 25 pictures a second of 200")
    func sustained() {
        let rig = play(4)
        #expect(rig.sink.numbers == Array(0..<1000))
        #expect(rig.loop.snapshot.counters.framesDropped == 0)
    }

    @Test("Beyond it pictures that no other needs are left out, then all but key frames, and counted")
    func beyond() {
        let rig = play(32)
        let counters = rig.loop.snapshot.counters
        let numbers = rig.sink.numbers
        #expect(numbers == numbers.sorted())
        // Half a second to find out, 80 key frames a second from there on, and no more than half a group late.
        #expect(numbers.suffix(40).allSatisfy { $0 % 10 == 0 })
        #expect(numbers.count >= 80)
        #expect(counters.framesDropped + counters.framesPresented == 1000)
        #expect(rig.lines("playedToEnd at 40.000000").count == 1)
        let seconds = Double(rig.driver.now.nanoseconds) / 1e9
        #expect(seconds < 40.0 / 32 + 0.5)
    }

    @Test("At 10 times, leaving out what no other needs is enough")
    func nonReference() {
        let rig = play(10)
        let isAnchor = { (number: Int) in number % 10 == 0 || number % 10 % 3 == 0 }
        // Once it is known, and before all are tried again, which is after two seconds in time.
        let settled = rig.sink.numbers.filter { (300..<700).contains($0) }
        #expect(settled.allSatisfy(isAnchor))
        #expect(settled.count > 100)
        let counters = rig.loop.snapshot.counters
        #expect(counters.framesDropped + counters.framesPresented == 1000)
    }

    @Test("Backward too: what was passed is not decoded, and the beginning is reached in time")
    func backward() {
        let rig = play(-32)
        let numbers = Array(rig.sink.numbers.dropFirst(2))
        #expect(numbers == numbers.sorted(by: >))
        #expect(rig.lines("playedToEnd at 0.000000").count == 1)
        let seconds = Double(rig.driver.now.nanoseconds) / 1e9
        #expect(seconds < 40.0 / 32 + 1)
        #expect(rig.loop.snapshot.counters.framesDropped > 0)
    }

    @Test("On the virtual clock nothing is left out at any rate")
    func virtual() {
        var media = Self.clip
        media.decodingTime = 0
        let rig = play(32, isRealTime: false, media: media)
        #expect(rig.sink.numbers == Array(0..<1000))
        #expect(rig.loop.snapshot.counters.framesDropped == 0)
    }
}
