import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

@Suite("Faults through the pipeline")
struct FaultTests {
    static func clip(_ faults: [ScriptedMedia.Fault]) -> ScriptedMedia {
        ScriptedMedia(
            video: .init(frameCount: 50, frameRate: 25, keyInterval: 10),
            audio: .init(sampleCount: 96_000),
            faults: faults
        )
    }

    /// Enough packets for about a second of both tracks.
    static let middle = 72

    @Test("A stall while waiting is on: rate stays, time stands, plays on by itself")
    func stallAndWait() {
        let rig = Rig()
        rig.load(Self.clip([.stall(atPacket: Self.middle, until: 5)]))
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == Array(0..<50))
        #expect(rig.sound.samples == PlaybackTests.allSamples)
        #expect(
            rig.dump.lines.drop { !$0.contains("timeControl playing") }.map { String($0.drop { $0 != " " }) }
                == [
                    " timeControl playing",
                    " playbackStalled",
                    " bufferEmpty true",
                    " likelyToKeepUp false",
                    " timeControl waitingToPlayAtSpecifiedRate toMinimizeStalls",
                    " bufferEmpty false",
                    " likelyToKeepUp true",
                    " timeControl playing",
                    " bufferFull true",
                    " playedToEnd at 2.000000",
                    " rate 1.0 -> 0.0 (itemEnded)",
                    " timeControl paused",
                ]
        )
    }

    @Test("A stall while waiting is off: rate drops to 0 and comes back by itself")
    func stallAndDrop() {
        let rig = Rig()
        rig.loop.send(.setWaitsToMinimizeStalling(false))
        rig.load(Self.clip([.stall(atPacket: Self.middle, until: 5)]))
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == Array(0..<50))
        #expect(
            rig.lines("rate ").map { String($0.drop { $0 != " " }) } == [
                " rate 0.0 -> 1.0 (setRateCalled)",
                " rate 1.0 -> 0.0 (stalled)",
                " rate 0.0 -> 1.0 (resumedAfterStall)",
                " rate 1.0 -> 0.0 (itemEnded)",
            ]
        )
    }

    @Test("Paused by the user during the stall, or told not to: it stays stopped")
    func stallAndStay() {
        for setUp in [PlaybackEvent.setRate(0), .setResumesAfterStall(false)] {
            let rig = Rig()
            rig.loop.send(.setWaitsToMinimizeStalling(false))
            rig.load(Self.clip([.stall(atPacket: Self.middle, until: 5)]))
            rig.loop.send(.setRate(1))
            rig.driver.run(seconds: 3)
            rig.loop.send(setUp)
            rig.driver.run(atMost: 60)
            #expect(rig.lines("resumedAfterStall").isEmpty)
            #expect(rig.loop.snapshot.rate == 0)
        }
    }

    @Test("A file that fails to open fails the item, not the player")
    func openFails() {
        let rig = Rig()
        rig.load(Self.clip([.openFails(.unrecognizedFormat)]))
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.loop.snapshot.itemStatus == .failed)
        #expect(rig.loop.snapshot.itemError?.code == .unrecognizedFormat)
        #expect(rig.loop.snapshot.rate == 0)
        rig.load(Self.clip([]), id: 2)
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == Array(0..<50))
    }

    @Test("One packet that cannot be read or decoded is counted, and the rest is played")
    func oneBroken() {
        let rig = Rig()
        rig.load(Self.clip([.unreadable(packet: 30), .undecodable(frame: 40)]))
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.loop.snapshot.counters.faults == 2)
        #expect(rig.lines("fault ").count == 2)
        #expect(!rig.sink.numbers.contains(40))
        #expect(rig.lines("playedToEnd").count == 1)
    }

    @Test("A file that was cut off plays what is there and then says so")
    func cutOff() {
        let rig = Rig()
        let media = ScriptedMedia(
            video: .init(frameCount: 250, frameRate: 25, keyInterval: 10),
            faults: [.cutOff(atPacket: 100)]
        )
        rig.load(media)
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == Array(0..<100))
        #expect(rig.lines("playedToEnd").isEmpty)
        #expect(rig.lines("failedToPlayToEnd truncated").count == 1)
        #expect(rig.loop.snapshot.rate == 0)
    }

    @Test("Reading that fails for good in the middle plays what was read")
    func lostInTheMiddle() {
        let rig = Rig()
        rig.load(Self.clip([.lost(fromPacket: Self.middle)]))
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers.count > 20)
        #expect(rig.lines("failedToPlayToEnd io").count == 1)
    }

    @Test("A track without a decoder is left out; without any the item fails")
    func noDecoder() {
        let rig = Rig()
        rig.load(Self.clip([.noDecoder(.video)]))
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sound.samples.count == 96_000)
        #expect(rig.lines("fault decoderNotFound").count == 1)

        let other = Rig()
        other.load(Self.clip([.noDecoder(.video), .noDecoder(.audio)]))
        other.driver.run(atMost: 60)
        #expect(other.loop.snapshot.itemError?.code == .decoderNotFound)
    }

    @Test("Nothing that can be decoded at all: the item fails with the decoder's words")
    func nothingDecodes() {
        let rig = Rig()
        rig.load(
            ScriptedMedia(video: .init(frameCount: 5), faults: (0..<5).map { .undecodable(frame: $0) })
        )
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.loop.snapshot.itemStatus == .failed)
        #expect(rig.loop.snapshot.itemError?.code == .decodeFailed)
    }

    @Test("A sink that throws is finished and taken off; playback goes on")
    func sinkFails() {
        let rig = Rig()
        let other = CapturingVideoSink(clock: rig.driver.clock)
        rig.layer.add(other)
        rig.sink.fail(atPicture: 5)
        rig.load(Self.clip([]))
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == Array(0..<5))
        #expect(rig.sink.calls.filter { $0 == .finish }.count == 1)
        #expect(other.numbers == Array(0..<50))
        #expect(rig.lines("sinkFailed").count == 1)
    }

    @Test(
        "Items replaced in the middle of anything: sinks are flushed, the last item plays",
        arguments: 0..<50
    )
    func replaced(seed: Int) {
        let rig = Rig(seed: UInt64(seed))
        var random = SplitMix64(UInt64(seed))
        rig.loop.send(.setRate(1))
        for number in 1...5 {
            rig.load(Self.clip([]), id: UInt64(number))
            for _ in 0..<Int.random(in: 0..<400, using: &random) where !rig.driver.step() {
                rig.driver.run(seconds: 0.01)
            }
        }
        rig.load(ScriptedMedia(video: .init(frameCount: 7)), id: 6)
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        #expect(Array(rig.sink.numbers.suffix(7)) == Array(0..<7), "seed \(seed)")
        #expect(rig.lines("playedToEnd").count <= 6)
    }

    @Test(
        "Released at any moment: every sink is finished once and nothing is reported any more",
        arguments: 0..<100
    )
    func released(seed: Int) {
        let rig = Rig(seed: UInt64(seed))
        var random = SplitMix64(UInt64(seed))
        rig.load(Self.clip([]))
        rig.loop.send(.setRate(1))
        for step in 0..<Int.random(in: 0..<600, using: &random) {
            if step == 100 { rig.seek(1, to: .ms(700)) }
            if !rig.driver.step() { rig.driver.run(seconds: 0.01) }
        }
        rig.loop.release()
        let before = rig.dump.lines.count
        rig.driver.run(atMost: 60)
        #expect(rig.dump.lines.count == before, "seed \(seed)")
        #expect(rig.sink.calls.filter { $0 == .finish }.count == 1)
        #expect(rig.sound.finishes == 1)
    }
}
