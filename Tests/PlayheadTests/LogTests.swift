import Playhead
import PlayheadTesting
import Testing

@Suite("Access log, error log and metrics")
struct LogTests {
    @Test("Undisturbed playback has exact counts")
    func plain() throws {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(seconds: 2)
        #expect(item.accessLog().events.isEmpty)
        bench.player.play()
        bench.driver.run(atMost: 60)
        let events = item.accessLog().events
        let event = try #require(events.first)
        #expect(events.count == 1)
        #expect(event.hostStartTime == HostTime(nanoseconds: 2_000_000_000))
        #expect(event.hostEndTime == nil)
        #expect(event.startupTime == .zero)
        #expect(event.framesDecoded == 50)
        #expect(event.framesPresented == 50)
        #expect(event.framesDropped == 0)
        #expect(event.framesLate == 0)
        #expect(event.audioSamples == 96_000)
        // 50 frames of 1,000 bytes, and 96,000 samples with eight samples per byte.
        #expect(event.bytesRead == 62_000)
        #expect(event.passes == 1)
        #expect(event.stalls == 0 && event.totalStallTime == .zero && event.seeks == 0 && event.faults == 0)
        #expect(item.errorLog().events.isEmpty)
    }

    @Test("Metrics report the start, a stall and its duration, a seek, and the outcome of the pass, in order")
    func metrics() async {
        var bench: PlayerTestBench<Player>? = PlayerTestBench(.silentClip([.stall(atPacket: 25, until: 5)]))
        let metrics = bench!.player.metrics
        bench!.player.replaceCurrentItem(with: bench!.makeItem())
        bench!.player.play()
        bench!.driver.run(atMost: 60)
        bench!.player.seek(to: .ms(400), completionHandler: nil)
        bench!.driver.settle()
        bench!.player.replaceCurrentItem(with: nil)
        bench!.driver.settle()
        let driver = bench!.driver
        bench = nil
        driver.run(atMost: 1)
        var lines: [String] = []
        for await metric in metrics {
            let milliseconds = metric.hostTime.nanoseconds / 1_000_000
            switch metric.kind {
            case .passEnded(let outcome, let entry):
                lines.append("\(milliseconds) \(outcome) \(entry?.framesPresented ?? -1)")
            default: lines.append("\(milliseconds) \(metric.kind)")
            }
        }
        #expect(
            lines == [
                "0 rateChanged(from: 0.0, to: 1.0, MediaCore.RateChangeReason.setRateCalled)",
                "0 started(startupTime: Optional(0.0 seconds))",
                "1000 stalled",
                "5000 resumed(stalledFor: 4.0 seconds)",
                "6000 playedToEnd 51",
                "6000 rateChanged(from: 1.0, to: 0.0, MediaCore.RateChangeReason.itemEnded)",
                "6000 sought(finished: true)",
                "6000 stopped 51",
            ]
        )
    }

    @Test("Metrics report losses, a replaced seek, another item, and the cause of an early end")
    func metricsOfLosses() async {
        let bench = PlayerTestBench(.silentClip([.undecodable(frame: 5)]))
        let metrics = bench.player.metrics
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        bench.player.seek(to: .ms(1000), completionHandler: nil)
        bench.player.seek(to: .ms(1600), completionHandler: nil)
        bench.driver.settle()
        let cut = bench.makeItem(
            ScriptedMedia(video: .init(frameCount: 250), faults: [.cutOff(atPacket: 20)])
        )
        bench.player.replaceCurrentItem(with: cut)
        bench.driver.run(seconds: 2)
        bench.player.shutdown {}
        bench.driver.settle()
        var lines: [String] = []
        for await metric in metrics {
            switch metric.kind {
            case .passEnded(.failed(let error), let entry):
                lines.append("failed \(error.code) \(entry?.passes ?? -1)")
            case .passEnded(let outcome, _): lines.append("\(outcome)")
            case .lost(let error): lines.append("lost \(error.code)")
            case .rateChanged(let old, let new, let reason): lines.append("\(old) \(new) \(reason)")
            case .sought(let finished): lines.append("sought \(finished)")
            case .started: lines.append("started")
            default: lines.append("\(metric.kind)")
            }
            #expect(metric.item != nil)
        }
        #expect(
            lines == [
                "0.0 1.0 setRateCalled", "started", "lost decodeFailed", "sought false", "sought true",
                "replaced",
                "started", "failed truncated 0", "1.0 0.0 itemFailed",
            ]
        )
    }

    @Test("Each playback has counts of its own, and ends when the player releases the item")
    func playings() throws {
        let (first, second) = (PlayerTestBench(), PlayerTestBench())
        let (item, other) = (first.makeItem(), first.makeItem())
        first.player.play()
        first.player.replaceCurrentItem(with: item)
        first.driver.run(seconds: 1)
        first.player.replaceCurrentItem(with: other)
        first.driver.run(seconds: 0.5)
        second.player.play()
        second.player.replaceCurrentItem(with: item)
        second.driver.run(atMost: 60)
        let events = item.accessLog().events
        try #require(events.count == 2)
        // Frames are shown at 0, 0.04 and so on to 1 s.
        #expect(events[0].framesPresented == 26)
        #expect(events[0].hostEndTime == HostTime(nanoseconds: 1_000_000_000))
        #expect(events[0].passes == 0)
        // Playback continues where it was.
        #expect(events[1].framesPresented == 25)
        #expect(events[1].hostEndTime == nil)
        #expect(other.accessLog().events.map(\.framesPresented) == [13])
        #expect(first.player.counters.framesPresented == 39)
        // More than a second is read ahead.
        let bytes = [events[0].bytesRead, other.accessLog().events[0].bytesRead]
        #expect(bytes.allSatisfy { $0 > 35_000 && $0 <= 62_000 })
        #expect(first.player.counters.bytesRead == bytes.reduce(0, +))
    }

    @Test("An item that follows another one without an interruption has an entry from the seam on")
    func following() throws {
        let bench = PlayerTestBench(queue: 2)
        let entries = Locked([Int64]())
        let token = bench.player.onEvent { timed in
            if case .accessLogEntry = timed.event {
                entries.withLock { $0.append(timed.hostTime.nanoseconds / 1_000_000) }
            }
        }
        bench.player.play()
        bench.driver.run(atMost: 60)
        let events = try bench.items.map { item in
            try #require(item.accessLog().events.count == 1)
            return item.accessLog().events[0]
        }
        #expect(events.map(\.hostStartTime.nanoseconds) == [0, 2_000_000_000])
        #expect(events.map(\.hostEndTime?.nanoseconds) == [2_000_000_000, 4_000_000_000])
        #expect(events.map(\.startupTime) == [.zero, nil])
        #expect(events.map(\.framesPresented) == [50, 50])
        #expect(events.map(\.bytesRead) == [62_000, 62_000])
        #expect(events.map(\.passes) == [1, 1])
        #expect(entries.withLock { $0 } == [0, 2000])
        token.invalidate()
    }

    /// Returns a player with the clock and the media of another one, and an audio sink of its own.
    private func makePlayer(like player: Player) -> Player {
        var configuration = player.configuration
        configuration.audio = .sink(CapturingAudioSink())
        return Player(configuration: configuration)
    }

    @Test("An item that moves to another player has an entry for each, whichever player reports first")
    func moved() throws {
        for seed in UInt64(0)..<20 {
            let bench = PlayerTestBench(seed: seed)
            let other = makePlayer(like: bench.player)
            let item = bench.makeItem()
            bench.player.play()
            bench.player.replaceCurrentItem(with: item)
            bench.driver.run(until: .ms(500))
            other.play()
            bench.driver.settle()
            other.replaceCurrentItem(with: item)
            bench.driver.run(until: .ms(1000))
            let events = item.accessLog().events
            try #require(events.count == 2, "seed \(seed)")
            #expect(events.map(\.hostEndTime) == [.ms(500), nil], "seed \(seed)")
            #expect(events[0].framesPresented == 13, "seed \(seed)")
            #expect(events[1].hostStartTime == .ms(500) && events[1].framesPresented > 0, "seed \(seed)")
            other.replaceCurrentItem(with: nil)
            bench.driver.settle()
        }
    }

    @Test("A player that releases an item without having played it does not change its entry")
    func movedAndReleased() throws {
        let bench = PlayerTestBench()
        let other = makePlayer(like: bench.player)
        let item = bench.makeItem()
        bench.player.play()
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(until: .ms(500))
        let played = try #require(item.accessLog().events.first).framesPresented
        #expect(played > 0)
        other.replaceCurrentItem(with: item)
        other.replaceCurrentItem(with: nil)
        #expect(item.accessLog().events.map(\.framesPresented) == [played])
        bench.driver.settle()
    }

    @Test("An item that an interstitial interrupts keeps its entry, which does not count the interstitial")
    func interrupted() throws {
        let bench = PlayerTestBench(queue: 1)
        let (item, interstitial) = (bench.items[0], bench.makeItem())
        let entries = Locked([PlayerItem]())
        let token = bench.player.onEvent { timed in
            if case .accessLogEntry(let item) = timed.event { entries.withLock { $0.append(item) } }
        }
        bench.player.play()
        bench.driver.run(until: .ms(500))
        bench.player.playInterstitial(interstitial)
        bench.driver.run(until: .ms(1000))
        #expect(bench.player.primaryItem === item)
        let during = try #require(item.accessLog().events.first)
        #expect(during.hostEndTime == nil)
        bench.driver.run(until: .ms(1500))
        #expect(item.accessLog().events == [during])
        bench.driver.run(atMost: 60)
        #expect(entries.withLock { $0 } == [item, interstitial])
        let event = try #require(item.accessLog().events.first)
        #expect(item.accessLog().events.count == 1)
        #expect(event.hostEndTime == .ms(4000))
        #expect(event.passes == 1)
        #expect(interstitial.accessLog().events.map(\.passes) == [1])
        let presented = event.framesPresented + interstitial.accessLog().events[0].framesPresented
        #expect(presented == bench.player.counters.framesPresented)
        token.invalidate()
    }

    @Test("Removing an interrupted item ends its playback")
    func removedPrimary() throws {
        let bench = PlayerTestBench(queue: 1)
        let item = bench.items[0]
        bench.player.play()
        bench.driver.run(until: .ms(500))
        bench.player.playInterstitial(bench.makeItem())
        bench.driver.run(until: .ms(1000))
        #expect(bench.player.primaryItem === item)
        bench.player.remove(item)
        let event = try #require(item.accessLog().events.first)
        #expect(event.hostEndTime == .ms(1000))
    }

    @Test("An item that is skipped before it plays has no entry, even if it was ready")
    func skipped() {
        let bench = PlayerTestBench(queue: 2)
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 1_500_000_000))
        bench.player.advanceToNextItem()
        bench.player.pause()
        bench.driver.run(atMost: 5)
        #expect(bench.items[1].status == .readyToPlay)
        #expect(bench.items[1].accessLog().events.isEmpty)
    }

    @Test("Releasing the player ends the playback")
    func released() throws {
        var bench: PlayerTestBench<Player>? = PlayerTestBench()
        let item = bench!.makeItem()
        bench!.player.play()
        bench!.player.replaceCurrentItem(with: item)
        bench!.driver.run(seconds: 0.5)
        bench = nil
        let event = try #require(item.accessLog().events.first)
        #expect(event.hostEndTime == HostTime(nanoseconds: 500_000_000))
        #expect(event.framesPresented == 13)
    }

    @Test("The duration of stalls is measured", arguments: [true, false])
    func stalls(waits: Bool) throws {
        let bench = PlayerTestBench(
            .silentClip([.stall(atPacket: 20, until: 3)])
        )
        let item = bench.makeItem()
        bench.player.automaticallyWaitsToMinimizeStalling = waits
        bench.player.play()
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(seconds: 2)
        let during = try #require(item.accessLog().events.first)
        #expect(during.stalls == 1)
        #expect(during.totalStallTime == .zero)
        bench.driver.run(atMost: 60)
        let event = try #require(item.accessLog().events.first)
        #expect(event.stalls == 1)
        // 20 frames are available, so data runs out at 0.8 s. The demuxer is called again every 10 ms from then on.
        #expect(event.totalStallTime == .milliseconds(2200))
        #expect(bench.player.counters.totalStallTime == event.totalStallTime)
    }

    @Test("A seek ends a stall")
    func seekEndsStall() throws {
        let bench = PlayerTestBench(
            .silentClip([.stall(atPacket: 20, until: 9)])
        )
        let item = bench.makeItem()
        bench.player.play()
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(seconds: 1.8)
        bench.player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(seconds: 0.4)
        let event = try #require(item.accessLog().events.first)
        #expect(event.totalStallTime == .seconds(1))
        #expect(event.seeks == 1)
    }

    @Test("The error log contains lost packets and the error that ended playback")
    func errors() {
        let bench = PlayerTestBench(
            ScriptedMedia(
                video: .init(frameCount: 50),
                faults: [.unreadable(packet: 5), .undecodable(frame: 12), .lost(fromPacket: 30)]
            )
        )
        let item = bench.makeItem()
        bench.player.replaceCurrentItem(with: item)
        bench.player.play()
        bench.driver.run(atMost: 60)
        let events = item.errorLog().events
        #expect(events.map(\.isRecovered) == [true, true, false])
        #expect(events.map(\.error.code) == [.io, .decodeFailed, .io])
        #expect(events.last?.itemTime == .ms(1200))
        #expect(events.last?.hostTime == HostTime(nanoseconds: 1_200_000_000))
        #expect(item.accessLog().events.first?.faults == 2)
    }

    @Test("If no frame can be decoded, the log contains each loss, and the final error once")
    func nothingDecodable() {
        let bench = PlayerTestBench(
            ScriptedMedia(
                video: .init(frameCount: 2),
                faults: [.undecodable(frame: 0), .undecodable(frame: 1)]
            )
        )
        let item = bench.makeItem()
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(atMost: 60)
        #expect(item.status == .failed)
        #expect(item.error?.code == .decodeFailed)
        #expect(item.errorLog().events.map(\.isRecovered) == [true, true, false])
    }

    @Test("An item that cannot be opened has one entry")
    func cannotBeOpened() {
        let bench = PlayerTestBench(ScriptedMedia(faults: [.openFails(.unrecognizedFormat)]))
        let item = bench.makeItem()
        bench.player.play()
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(atMost: 60)
        #expect(item.errorLog().events.map(\.error) == [item.error])
        #expect(item.errorLog().events.map(\.isRecovered) == [false])
        #expect(item.accessLog().events.isEmpty)
    }
}
