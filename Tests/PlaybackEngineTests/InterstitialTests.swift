import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

// Rule: interstitials
@Suite("Interstitials on the manual driver")
struct InterstitialTests {
    /// A second at 50 frames per second, with audio of 44,100 Hz.
    private static let short = ScriptedMedia(
        video: .init(frameCount: 50, frameRate: 50, keyInterval: 10),
        audio: .init(sampleCount: 48_000)
    )

    private func makeBench(audio: TestAudio = .captured, seed: UInt64? = nil) -> EngineTestBench {
        let bench = EngineTestBench(audio: audio, seed: seed)
        bench.load(.clip(seconds: 4))
        bench.driver.run(seconds: 0)
        return bench
    }

    private func interrupt(_ bench: EngineTestBench, _ media: ScriptedMedia = short, id: UInt64 = 9) {
        let source = MediaItemSource(bench.makeItem(media))
        bench.loop.perform { $0.interrupt(with: ItemID(id), source, rate: 1) }
    }

    /// The frames as "number @ milliseconds".
    private func frames(_ bench: EngineTestBench, from start: Int64 = 0) -> [String] {
        bench.videoSink.frames.filter { $0.hostTime.nanoseconds >= start }
            .map { "\($0.number)@\($0.hostTime.nanoseconds / 1_000_000)" }
    }

    private static func log(_ numbers: some Sequence<Int>, from start: Int, every interval: Int) -> [String] {
        numbers.enumerated().map { "\($1)@\(start + $0 * interval)" }
    }

    @Test(
        "The interstitial begins at once, and the interrupted item continues with the exact next frame and sample",
        arguments: [nil, 1, 2, 3] as [UInt64?]
    )
    func playing(seed: UInt64?) {
        let bench = makeBench(seed: seed)
        bench.play()
        bench.driver.run(until: HostTime(nanoseconds: 1_015_000_000))
        interrupt(bench)
        bench.driver.run(atMost: 60)
        let expected =
            Self.log(0...25, from: 0, every: 40) + Self.log(0..<50, from: 1015, every: 20)
            // The frame at the position is shown for the rest of its duration.
            + ["25@2015"] + Self.log(26..<100, from: 2040, every: 40)
        #expect(frames(bench) == expected)
        #expect(bench.driver.now == HostTime(nanoseconds: 5_000_000_000))
        // Every sample of both items is heard once, in the order of the items.
        let samples = bench.audioSink.samples
        #expect(samples.count == 240_000)
        let cut = (48_720 + 1023) / 1024 * 1024
        let all = Array(0..<cut) + Array(0..<48_000) + Array(cut..<192_000)
        #expect(samples == all.map { Int16(truncatingIfNeeded: $0) })
        #expect(
            bench.lines("playedToEnd") == [
                "1.000000 playedToEnd at 1.000000", "4.000000 playedToEnd at 4.000000",
            ]
        )
        #expect(!bench.videoSink.calls.contains(.flush))
    }

    @Test("A paused item is paused again at its frame")
    func paused() {
        let bench = makeBench()
        bench.loop.send(.seek(SeekRequest(id: SeekID(1), target: .ms(2000))))
        bench.driver.run(seconds: 1)
        let flushes = bench.videoSink.calls.count { $0 == .flush }
        interrupt(bench)
        bench.driver.run(seconds: 3)
        #expect(frames(bench, from: 1_000_000_000) == Self.log(0..<50, from: 1000, every: 20) + ["50@2000"])
        #expect(bench.loop.snapshot.timeControl == .paused)
        #expect(bench.loop.snapshot.itemTime(at: bench.driver.now) == .ms(2000))
        #expect(bench.videoSink.calls.count { $0 == .flush } == flushes)
        bench.play()
        bench.driver.run(atMost: 60)
        #expect(frames(bench, from: 4_000_000_000).first == "51@4040")
    }

    @Test("A boundary time at which an item is interrupted is reported once")
    func boundary() {
        let bench = makeBench()
        let reported = Locked<[Int64]>([])
        let times = [2_000_000_000, 2_500_000_000].map { ItemTime(nanoseconds: $0) }
        bench.loop.perform { loop in
            loop.observeTimes(1, times) { time in reported.withLock { $0.append(time.nanoseconds) } }
        }
        bench.play()
        bench.driver.run(until: HostTime(nanoseconds: 2_000_000_000))
        #expect(reported.withLock { $0 } == [2_000_000_000])
        interrupt(bench)
        bench.driver.run(atMost: 60)
        #expect(reported.withLock { $0 } == times.map(\.nanoseconds))
    }

    @Test("The end of an item that has been interrupted is ahead, unless it was reached before")
    func endOfInterrupted() {
        for (time, isExpected) in [(500, false), (5000, true)] as [(Int64, Bool)] {
            let bench = makeBench()
            bench.play()
            bench.driver.run(until: HostTime(nanoseconds: time * 1_000_000))
            interrupt(bench)
            bench.driver.run(seconds: 0.1)
            let isReached = Locked<Bool?>(nil)
            bench.loop.perform { loop in
                let state = loop.endState(of: ItemID(1), isReverse: false)
                isReached.withLock { $0 = state.map { if case .reached = $0 { true } else { false } } }
            }
            bench.driver.settle()
            #expect(isReached.withLock { $0 } == isExpected)
        }
    }

    @Test("A loop continues in its pass, also if the next pass is decoded already")
    func looping() {
        let bench = EngineTestBench()
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip(seconds: 1))
        bench.play()
        bench.driver.run(seconds: 1.985)
        interrupt(bench)
        bench.driver.run(until: HostTime(nanoseconds: 3_990_000_000))
        #expect(
            frames(bench, from: 1_960_000_000)
                == ["24@1960"] + Self.log(0..<50, from: 1985, every: 20) + ["24@2985"]
                + Self.log(0..<25, from: 3000, every: 40)
        )
        #expect(bench.loop.snapshot.repeatSetting == .loop)
    }

    @Test("A stalled item waits for its data again, which may have arrived during the interstitial")
    func stalled() {
        var media = ScriptedMedia.clip(seconds: 4)
        media.faults = [.stall(atPacket: 60, until: 3)]
        let bench = EngineTestBench()
        bench.load(media)
        bench.play()
        bench.driver.run(seconds: 2)
        #expect(bench.loop.snapshot.counters.stalls == 1)
        let shown = bench.videoSink.numbers
        interrupt(bench)
        bench.driver.run(seconds: 1)
        bench.driver.run(atMost: 60)
        let numbers = bench.videoSink.numbers
        #expect(Array(numbers.prefix(shown.count + 50)) == shown + Array(0..<50))
        let last = shown.last ?? 0
        #expect(Array(numbers.dropFirst(shown.count + 50)) == [last] + Array(last + 1..<100))
    }

    @Test("A seek in flight completes with the interrupted item, and a seek during it moves the interstitial")
    func seeks() {
        var media = ScriptedMedia.clip(seconds: 4)
        media.faults = [.stall(atPacket: 205, until: 1.5)]
        let bench = EngineTestBench()
        bench.load(media)
        bench.play()
        bench.driver.run(seconds: 0.5)
        bench.seek(1, to: .ms(3000))
        bench.driver.run(seconds: 0.1)
        interrupt(bench)
        bench.driver.run(seconds: 0.2)
        #expect(bench.lines("seek 1").isEmpty)
        bench.seek(2, to: .ms(900))
        bench.driver.run(atMost: 60)
        let completions = bench.lines("seek ").map { String($0.suffix(21)) }
        #expect(completions == ["seek 2 completed true", "seek 1 completed true"])
        let numbers = Array(45..<50) + [12] + Array(75..<100)
        #expect(bench.videoSink.numbers.suffix(31).elementsEqual(numbers))
    }

    @Test("A second interstitial replaces the first, and the interrupted item continues after it")
    func replaced() {
        let bench = makeBench()
        bench.play()
        bench.driver.run(until: HostTime(nanoseconds: 1_015_000_000))
        interrupt(bench)
        bench.driver.run(seconds: 0.5)
        interrupt(bench, id: 8)
        bench.driver.run(atMost: 60)
        let expected =
            Self.log(0...25, from: 0, every: 40) + Self.log(0...25, from: 1015, every: 20)
            + Self.log(0..<50, from: 1515, every: 20)
            + ["25@2515"] + Self.log(26..<100, from: 2540, every: 40)
        #expect(frames(bench).filter { $0 != "25@1515" } == expected.filter { $0 != "25@1515" })
        #expect(bench.driver.now == HostTime(nanoseconds: 5_500_000_000))
        #expect(
            bench.lines("interstitial").map { $0.dropFirst(9) } == [
                "interstitialBegan", "interstitialEnded", "interstitialBegan", "interstitialEnded",
            ]
        )
    }

    @Test(
        "An interstitial that fails to open interrupts nothing, and one that is cut off is followed at once"
    )
    func failures() {
        let bench = makeBench()
        bench.play()
        bench.driver.run(until: HostTime(nanoseconds: 1_015_000_000))
        interrupt(
            bench,
            ScriptedMedia(video: .init(frameCount: 5), faults: [.openFails(.unrecognizedFormat)])
        )
        bench.driver.run(seconds: 0.5)
        var cut = ScriptedMedia.clip()
        cut.faults = [.cutOff(atPacket: 60)]
        interrupt(bench, cut, id: 8)
        bench.driver.run(atMost: 60)
        #expect(bench.lines(" failed ").map { $0.dropFirst(9) } == ["item 9 failed unrecognizedFormat"])
        #expect(bench.lines("failedToPlayToEnd").count == 1)
        let numbers = bench.videoSink.numbers
        // The packets before the cut hold 21 frames and one whose B-frames are missing.
        #expect(numbers == Array(0...37) + Array(0...20) + [23] + Array(37..<100))
    }

    @Test("An interrupted item that is removed is followed by the queue, without a gap")
    func removed() {
        let bench = EngineTestBench()
        bench.loop.send(.setEndAction(.advance))
        bench.insert(.clip(seconds: 4), id: 1)
        bench.insert(Self.short, id: 2)
        bench.play()
        bench.driver.run(until: HostTime(nanoseconds: 1_015_000_000))
        interrupt(bench)
        bench.driver.run(seconds: 0.2)
        bench.loop.send(.remove(ItemID(1)))
        bench.driver.run(atMost: 60)
        #expect(
            frames(bench, from: 1_010_000_000)
                == Self.log(0..<50, from: 1015, every: 20) + Self.log(0..<50, from: 2015, every: 20)
        )
        #expect(bench.loop.snapshot.itemID == nil)
    }

    @Test(
        "An item that is interrupted near its end is followed by the next item without a gap",
        arguments: [nil, 4] as [UInt64?]
    )
    func nearTheEnd(seed: UInt64?) {
        let bench = EngineTestBench(seed: seed)
        bench.loop.send(.setEndAction(.advance))
        bench.insert(.clip(seconds: 1), id: 1)
        bench.insert(Self.short, id: 2)
        bench.play()
        bench.driver.run(seconds: 0.985)
        interrupt(bench)
        bench.driver.run(atMost: 60)
        #expect(
            frames(bench, from: 960_000_000)
                == ["24@960"] + Self.log(0..<50, from: 985, every: 20) + ["24@1985"]
                + Self.log(0..<50, from: 2000, every: 20)
        )
    }

    @Test("Without a current item the interstitial plays, and nothing follows")
    func alone() {
        let bench = EngineTestBench()
        interrupt(bench)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(bench.loop.snapshot.itemID == nil)
        #expect(bench.loop.snapshot.rate == 0)
    }

    @Test("A scheduled start of an interstitial that is removed does not move the interrupted item")
    func scheduledStart() {
        let bench = makeBench()
        bench.play()
        bench.driver.run(until: .ms(1000))
        var media = Self.short
        media.faults = [.hang(atPacket: 40)]
        interrupt(bench, media)
        bench.driver.run(seconds: 2)
        bench.loop.perform { $0.restart(1, at: nil, host: .ms(100)) }
        bench.driver.run(seconds: 0.5)
        bench.loop.send(.remove(ItemID(9)))
        bench.driver.run(seconds: 0.5)
        #expect(bench.loop.snapshot.itemID == ItemID(1))
        #expect(bench.time == 1500)
    }

    @Test(
        "An interstitial begins at once if the interrupted item was to start later, and that item follows it"
    )
    func startOfInterrupted() {
        let bench = makeBench()
        bench.loop.perform { $0.restart(1, at: .ms(400), host: .ms(5000)) }
        bench.driver.run(until: .ms(1000))
        interrupt(bench)
        bench.driver.run(atMost: 60)
        let expected =
            Self.log(0..<50, from: 1000, every: 20) + ["10@2000"] + Self.log(11..<100, from: 2040, every: 40)
        #expect(frames(bench, from: 1_000_000_000) == expected)
    }

    @Test("If the interrupted item is removed just before its end, the next one is heard from its start")
    func removedBeforeSeam() {
        let bench = EngineTestBench(audio: .device())
        bench.loop.send(.setEndAction(.advance))
        for id in 1...2 { bench.insert(.clip(seconds: 2), id: UInt64(id)) }
        bench.play()
        bench.driver.run(seconds: 1.95)
        interrupt(bench)
        bench.driver.run(seconds: 0.5)
        bench.loop.send(.remove(ItemID(1)))
        bench.driver.run(atMost: 5) { bench.loop.snapshot.itemID == ItemID(2) }
        bench.driver.run(seconds: 0.02)
        let moments = bench.run(seconds: 0.1)
        #expect(moments.worstOffset < 3)
        #expect(moments.allSatisfy { $0.offset != nil })
    }

    @Test(
        "An item is heard from where it was paused, also if an earlier interstitial had interrupted nothing"
    )
    func pausedAfterFirstInterstitial() {
        let bench = EngineTestBench(audio: .device())
        interrupt(bench, id: 8)
        bench.driver.run(seconds: 2)
        #expect(bench.lines("playedToEnd").count == 1)
        bench.load(.clip(seconds: 4))
        bench.play()
        bench.driver.run(seconds: 1)
        bench.play(0)
        bench.driver.run(seconds: 0.2)
        interrupt(bench)
        bench.driver.run(seconds: 2)
        #expect(bench.loop.snapshot.itemID == ItemID(1))
        bench.play()
        bench.driver.run(seconds: 0.06)
        let moments = bench.run(seconds: 0.1)
        #expect(moments.worstOffset < 3)
        #expect(moments.allSatisfy { $0.offset != nil })
    }

    @Test(
        "A device plays on without a hole: the samples of both items follow each other",
        arguments: [nil, 5] as [UInt64?]
    )
    func device(seed: UInt64?) {
        let bench = EngineTestBench(audio: .device(), seed: seed)
        bench.load(.clip(seconds: 4))
        bench.play()
        bench.driver.run(seconds: 2)
        interrupt(bench)
        bench.driver.run(seconds: 4)
        let heard = bench.audioDevice.heard
        let longest = heard.flatMap(\.samples)
        #expect(bench.loop.snapshot.counters.audioUnderruns <= 1)
        // The end of the interrupted item is heard to its last sample.
        #expect(longest.last == Int16(truncatingIfNeeded: 191_999))
        // At most the tenth of a second is missing that the device cannot take back in time.
        #expect(longest.count >= 240_000 - 2 * 4800)
    }
}
