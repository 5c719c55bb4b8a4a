import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

// Rule: gapless
@Suite("A queue of items on the manual driver")
struct QueueTests {
    private static let short = ScriptedMedia(
        video: .init(frameCount: 25, frameRate: 25, keyInterval: 10, bFrames: 2),
        audio: .init(sampleCount: 48_000)
    )

    private func makeBench(_ media: [ScriptedMedia], seed: UInt64? = nil) -> EngineTestBench {
        let bench = EngineTestBench(seed: seed)
        bench.loop.send(.setEndAction(.advance))
        for (index, media) in media.enumerated() { bench.insert(media, id: UInt64(index + 1)) }
        bench.loop.send(.setRate(1))
        return bench
    }

    @Test(
        "Items follow each other without a gap: every frame is shown when due, every sample is played once",
        arguments: [nil, 1, 2, 3, 4, 5] as [UInt64?]
    )
    func gapless(seed: UInt64?) {
        let bench = makeBench([Self.short, .clip(), Self.short], seed: seed)
        #expect(bench.driver.run(atMost: 60))
        #expect(bench.videoSink.numbers == Array(0..<25) + Array(0..<50) + Array(0..<25))
        var due: Int64 = 0
        for case .present(_, _, _, let host) in bench.videoSink.calls {
            #expect(host == due, "seed \(String(describing: seed))")
            due += 40_000_000
        }
        let samples = [48_000, 96_000, 48_000].flatMap { 0..<$0 }
        #expect(bench.audioSink.samples == samples.map { Int16(truncatingIfNeeded: $0) })
        #expect(bench.lines("playedToEnd").count == 3)
        #expect(bench.driver.now == HostTime(nanoseconds: 4_000_000_000))
        #expect(bench.loop.snapshot.itemID == nil)
        #expect(bench.loop.snapshot.waitReason == .noItemToPlay)
    }

    @Test("A queued item of which nothing can be decoded fails and is skipped, as the first one would be")
    func undecodable() {
        let faults = (0..<5).map { ScriptedMedia.Fault.undecodable(frame: $0) }
        let broken = ScriptedMedia(video: .init(frameCount: 5), faults: faults)
        let bench = makeBench([Self.short, broken, Self.short])
        #expect(bench.driver.run(atMost: 60))
        #expect(bench.lines(" failed ").count == 1)
        #expect(bench.lines("playedToEnd").count == 2)
        #expect(bench.videoSink.numbers == Array(0..<25) + Array(0..<25))
    }

    @Test("Reports at a transition and after the last item arrive in the expected order (golden text)")
    func goldenSeam() {
        let bench = makeBench([Self.short, Self.short])
        bench.driver.run(atMost: 60)
        let lines = bench.lines
        let seam = lines.firstIndex(of: "1.000000 playedToEnd at 1.000000") ?? lines.endIndex
        #expect(
            lines[seam...].joined(separator: "\n") == """
                1.000000 playedToEnd at 1.000000
                0.000000 item 2
                0.000000 presentationSize 16x8
                0.000000 tracks
                0.000000 duration 1.000000
                0.000000 itemStatus readyToPlay
                0.000000 bufferEmpty false
                0.000000 likelyToKeepUp true
                0.000000 bufferFull true
                1.000000 playedToEnd at 1.000000
                1.000000 readyForDisplay false
                1.000000 item none
                1.000000 timeControl waitingToPlayAtSpecifiedRate noItemToPlay
                """
        )
    }

    @Test("An item that cannot be opened is reported and skipped, and the next one follows without a gap")
    func failedItemIsSkipped() {
        let broken = ScriptedMedia(video: .init(frameCount: 5), faults: [.openFails(.unrecognizedFormat)])
        let bench = makeBench([Self.short, broken, broken, Self.short])
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<25) + Array(0..<25))
        #expect(
            bench.lines(" failed ").map { $0.dropFirst(9) } == [
                "item 2 failed unrecognizedFormat", "item 3 failed unrecognizedFormat",
            ]
        )
        #expect(bench.driver.now == HostTime(nanoseconds: 2_000_000_000))
        #expect(bench.loop.snapshot.rate == 1)
    }

    @Test("A first item that cannot be opened is skipped, and the rate is kept")
    func failedFirstItem() {
        let broken = ScriptedMedia(video: .init(frameCount: 5), faults: [.openFails(.unrecognizedFormat)])
        let bench = makeBench([broken, Self.short])
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<25))
        #expect(bench.lines(" failed ").count == 1)
        #expect(bench.lines("rate ").count == 1)
    }

    @Test("A truncated item ends with a failure, and the next one follows")
    func truncatedItem() {
        var media = ScriptedMedia.clip()
        media.faults = [.cutOff(atPacket: 60)]
        let bench = makeBench([media, Self.short])
        bench.driver.run(atMost: 60)
        #expect(bench.lines("failedToPlayToEnd").count == 1)
        #expect(bench.lines("playedToEnd").count == 1)
        #expect(Array(bench.videoSink.numbers.suffix(25)) == Array(0..<25))
    }

    @Test("A queue that is changed after the next item was prepared plays its current items")
    func changedAfterPreparing() {
        let bench = makeBench([Self.short, .clip()])
        // The first item has been read completely, and the second one is open.
        bench.driver.run(until: HostTime(nanoseconds: 900_000_000))
        bench.insert(Self.short, id: 3, after: 1)
        bench.loop.send(.remove(ItemID(2)))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<25) + Array(0..<25))
        #expect(bench.lines("item ") == ["0.000000 item 1", "0.000000 item 3", "1.000000 item none"])
        #expect(bench.driver.now == HostTime(nanoseconds: 2_000_000_000))
    }

    @Test("A loop repeats the item; once looping is disabled, the next item follows at the next end")
    func loopThenGoOn() {
        let bench = makeBench([Self.short, .clip()])
        bench.loop.send(.setRepeat(.loop))
        bench.driver.run(until: HostTime(nanoseconds: 2_500_000_000))
        bench.loop.send(.setRepeat(.once))
        bench.driver.run(atMost: 60)
        #expect(bench.lines("playedToEnd").count == 4)
        #expect(Array(bench.videoSink.numbers.prefix(75)) == (0..<3).flatMap { _ in 0..<25 })
        #expect(Array(bench.videoSink.numbers.suffix(50)) == Array(0..<50))
    }

    @Test("An item with a start time follows from that time, to the sample")
    func startPosition() {
        let bench = makeBench([Self.short])
        bench.insert(.clip(), id: 2) { ($0.start, $0.forwardEnd) = (.ms(1000), .ms(1500)) }
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<25) + Array(25..<38))
        let samples = Array(0..<48_000) + Array(48_000..<72_000)
        #expect(bench.audioSink.samples == samples.map { Int16(truncatingIfNeeded: $0) })
        #expect(bench.driver.now == HostTime(nanoseconds: 1_500_000_000))
    }

    @Test(
        "An item whose index points after its start time is searched at an earlier position and follows without a gap"
    )
    func lateStart() {
        let late = ScriptedMedia(
            video: .init(frameCount: 500, frameRate: 25, keyInterval: 25),
            audio: .init(sampleCount: 960_000),
            faults: [.seeksLate(keyFrames: 2)]
        )
        let bench = makeBench([Self.short])
        bench.insert(late, id: 2) { ($0.start, $0.forwardEnd) = (.ms(4500), .ms(5000)) }
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<25) + Array(112..<125))
        let samples = Array(0..<48_000) + Array(216_000..<240_000)
        #expect(bench.audioSink.samples == samples.map { Int16(truncatingIfNeeded: $0) })
        #expect(bench.driver.now == HostTime(nanoseconds: 1_500_000_000))
    }
}
