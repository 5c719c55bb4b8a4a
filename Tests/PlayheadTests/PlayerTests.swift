import Foundation
import PlaybackEngine
import Playhead
import PlayheadTesting
import Synchronization
import Testing

@Suite("Player, item and layer")
struct PlayerTests {
    @Test("The start position is known with the item, and no earlier frame is shown")
    func startPosition() {
        let driver = HastyDriver()
        let backend = ScriptedBackend(.clip(), clock: driver.clock)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        configuration.backend = backend
        let player = Player(configuration: configuration)
        let sink = CapturingVideoSink(clock: driver.clock)
        let layer = PlayerLayer(player: player)
        layer.add(sink)
        let item = backend.makeItem()
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        player.replaceCurrentItem(with: item)
        #expect(sink.numbers == [25])
        #expect(item.currentTime() == .ms(1000))
        layer.player = nil
    }

    @Test("A value that was set can be read at once on the same thread, and the engine follows")
    func masking() {
        let bench = PlayerTestBench()
        let player = bench.player
        player.rate = 1
        #expect(player.rate == 1)
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        player.pause()
        #expect(player.rate == 0)
        #expect(player.timeControlStatus == .paused)
        player.repeatMode = .loop
        #expect(player.repeatMode == .loop)
        player.volume = 7
        #expect(player.volume == 1)
        player.isMuted = true
        #expect(player.isMuted)
        player.defaultRate = 2
        player.play()
        #expect(player.rate == 2)
        let item = bench.makeItem()
        player.replaceCurrentItem(with: item)
        #expect(player.currentItem === item)
        player.seek(to: .ms(1200), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(player.currentTime() == .ms(1200))
        bench.driver.run(until: HostTime(nanoseconds: 1))
        #expect(player.timeControlStatus == .playing)
        #expect(bench.videoSink.numbers == [30])
    }

    @Test("The properties of an item are unknown at first, then correct, and are kept when it is removed")
    func itemFacts() {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        #expect(item.status == .unknown)
        #expect(item.duration == .indefinite)
        #expect(item.presentationSize == .zero)
        #expect(item.tracks.isEmpty)
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(atMost: 1)
        #expect(item.status == .readyToPlay)
        #expect(item.duration == .ms(2000))
        #expect(item.presentationSize == PixelSize(width: 16, height: 8))
        #expect(item.tracks.map(\.isEnabled) == [true, true])
        #expect(item.asset.status == .loaded)
        #expect(item.isPlaybackLikelyToKeepUp && item.isPlaybackBufferFull && !item.isPlaybackBufferEmpty)
        #expect(item.seekableTimeRanges == [MediaTimeRange(start: .zero, duration: .ms(2000))])
        #expect(bench.layer.isReadyForDisplay)
        #expect(bench.layer.videoRect == PixelRect(x: 0, y: 0, width: 16, height: 8))
        bench.player.replaceCurrentItem(with: nil)
        bench.driver.run(atMost: 1)
        #expect(item.status == .readyToPlay)
        #expect(!bench.layer.isReadyForDisplay)
        #expect(bench.player.currentItem == nil)
        #expect(bench.player.currentTime() == .zero)
    }

    @Test("An item that is assigned to another player moves there")
    func itemMoves() {
        let first = PlayerTestBench()
        let second = PlayerTestBench()
        let item = first.makeItem()
        first.player.replaceCurrentItem(with: item)
        first.driver.run(atMost: 1)
        second.player.replaceCurrentItem(with: item)
        first.driver.run(atMost: 1)
        second.driver.run(atMost: 1)
        #expect(first.player.currentItem == nil)
        #expect(second.player.currentItem === item)
        #expect(second.videoSink.numbers == [0])
    }

    @Test("A seek without a player sets the start position")
    func seekBeforePlayer() {
        let bench = PlayerTestBench()
        let item = bench.makeItem()
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(item.currentTime() == .ms(1000))
        bench.player.replaceCurrentItem(with: item)
        #expect(item.currentTime() == .ms(1000))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [25])
    }

    @Test("Each seek is answered exactly once, even if the player is released")
    func seekAnswers() {
        let answers = Mutex([Int: [Bool]]())
        var bench: PlayerTestBench<Player>? = PlayerTestBench(seed: 3)
        let driver = bench!.driver
        bench!.player.replaceCurrentItem(with: bench!.makeItem())
        driver.run(atMost: 1)
        for number in 0..<20 {
            bench!.player.seek(to: .ms(Int64(number * 100)), toleranceBefore: .zero, toleranceAfter: .zero) {
                finished in answers.withLock { $0[number, default: []].append(finished) }
            }
            for _ in 0..<30 { driver.step() }
        }
        bench = nil
        driver.run(atMost: 1)
        answers.withLock { answers in
            #expect(answers.count == 20)
            #expect(answers.values.allSatisfy { $0.count == 1 })
        }
    }

    @Test("Every way of observing reports the same in the same order")
    func watching() {
        let bench = PlayerTestBench()
        let log = Mutex([String]())
        let center = NotificationCenter.default
        let item = bench.makeItem()
        let player = bench.player
        let tokens = [
            player.observe(\.rate, options: [.old, .new]) { _, change in
                log.withLock { $0.append("rate \(change.oldValue ?? -1) \(change.newValue ?? -1)") }
            },
            player.observe(\.timeControlStatus, options: [.initial, .new]) { _, change in
                log.withLock { $0.append("status \(change.newValue.map { "\($0)" } ?? "?")") }
            },
        ]
        let ends = center.addObserver(forName: PlayerItem.didPlayToEndTime, object: item, queue: nil) { _ in
            log.withLock { $0.append("end") }
        }
        defer { center.removeObserver(ends) }
        player.play()
        player.replaceCurrentItem(with: item)
        bench.driver.run(atMost: 60)
        #expect(
            log.withLock { $0 } == [
                "status paused", "rate 0.0 1.0", "status waitingToPlayAtSpecifiedRate", "status playing",
                "end", "rate 1.0 0.0", "status paused",
            ]
        )
        for token in tokens { token.invalidate() }
        player.play()
        bench.driver.run(atMost: 60)
        #expect(log.withLock { $0.last } == "end")
    }

    @Test("The event stream is complete, in order, and ends with the player")
    func eventStream() async {
        var bench: PlayerTestBench<Player>? = PlayerTestBench()
        let stream = bench!.player.timedEvents
        bench!.player.play()
        bench!.player.replaceCurrentItem(with: bench!.makeItem())
        bench!.driver.run(atMost: 60)
        let driver = bench!.driver
        bench = nil
        driver.run(atMost: 1)
        var names: [String] = []
        var last = HostTime.zero
        for await event in stream {
            names.append(String("\(event.event)".prefix { $0 != "(" }))
            #expect(event.hostTime >= last)
            last = event.hostTime
        }
        #expect(names.first == "rateChanged")
        #expect(names.filter { $0 == "didPlayToEndTime" }.count == 1)
        let end = [
            "didPlayToEndTime", "passEnded", "rateChanged", "timeControlStatusChanged",
            "effectiveRateChanged",
        ]
        #expect(names.suffix(5) == end)
    }

    @Test("Time observers are called at each interval and boundary, and not after they were released")
    func timeObservers() {
        let bench = PlayerTestBench()
        let times = Mutex((periodic: [MediaTime](), boundary: 0))
        let periodic = bench.player.addPeriodicTimeObserver(forInterval: .ms(500)) { time in
            times.withLock { $0.periodic.append(time) }
        }
        let boundary = bench.player.addBoundaryTimeObserver(forTimes: [.ms(700), .ms(1300), .ms(9000)]) {
            times.withLock { $0.boundary += 1 }
        }
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.player.play()
        bench.driver.run(seconds: 1.6)
        // The start of playback, then three intervals.
        #expect(times.withLock { $0.periodic } == [.zero, .ms(500), .ms(1000), .ms(1500)])
        #expect(times.withLock { $0.boundary } == 2)
        bench.player.removeTimeObserver(periodic)
        boundary.invalidate()
        bench.driver.run(atMost: 60)
        #expect(times.withLock { $0.periodic.count } == 4)
    }

    @Test(
        "A late sink gets the present frame, a layer can move between players, and sinks are finished once"
    )
    func layers() {
        let first = PlayerTestBench()
        let second = PlayerTestBench(ScriptedMedia(video: .init(frameCount: 10)))
        first.player.replaceCurrentItem(with: first.makeItem())
        first.driver.run(atMost: 1)
        let late = CapturingVideoSink(clock: first.driver.clock)
        first.layer.add(late)
        first.driver.run(atMost: 1)
        #expect(late.numbers == [0])
        second.player.replaceCurrentItem(with: second.makeItem())
        second.player.play()
        second.driver.run(seconds: 0.2)
        first.layer.player = second.player
        first.driver.run(atMost: 1)
        second.driver.run(atMost: 60)
        #expect(late.numbers == [0, 5, 6, 7, 8, 9])
        first.layer.remove(late)
        second.driver.run(atMost: 1)
        #expect(late.calls.filter { $0 == .finish }.count == 1)
    }

    @Test("Callbacks may call anything on their player")
    func reentrancy() {
        let bench = PlayerTestBench()
        let player = bench.player
        let second = bench.makeItem()
        let count = Mutex(0)
        let token = player.onEvent { [weak player] event in
            guard let player, case .didPlayToEndTime = event.event else { return }
            let number = count.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1:
                player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
                player.play()
            case 2: player.replaceCurrentItem(with: second)
            default: player.replaceCurrentItem(with: nil)
            }
        }
        player.replaceCurrentItem(with: bench.makeItem())
        player.play()
        bench.driver.run(atMost: 60)
        #expect(count.withLock { $0 } == 2)
        player.play()
        bench.driver.run(atMost: 60)
        #expect(count.withLock { $0 } == 3)
        #expect(player.currentItem == nil)
        token.invalidate()
    }

    @Test("A failed item reports the reason and the file")
    func failure() {
        let bench = PlayerTestBench(
            ScriptedMedia(video: .init(frameCount: 5), faults: [.openFails(.unrecognizedFormat)])
        )
        let item = bench.makeItem()
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(atMost: 1)
        #expect(item.status == .failed)
        #expect(item.error?.code == .unrecognizedFormat)
        #expect(item.error?.message == "/script-1: opening fails as requested by the script")
        #expect(item.error?.url?.path == "/script-1")
        #expect(bench.player.status == .readyToPlay)
    }

    @Test("A player that is released at any time leaves nothing behind", arguments: 0..<50)
    func leaks(seed: Int) {
        var random = SplitMix64(UInt64(seed))
        weak var player: Player?
        weak var item: PlayerItem?
        weak var sink: CapturingVideoSink?
        do {
            let bench = PlayerTestBench(seed: UInt64(seed))
            let driver = bench.driver
            let made = bench.makeItem()
            (player, item, sink) = (bench.player, made, bench.videoSink)
            bench.player.replaceCurrentItem(with: made)
            bench.player.play()
            for _ in 0..<Int.random(in: 0..<500, using: &random) { driver.step() }
            bench.player.seek(to: .ms(900), toleranceBefore: .zero, toleranceAfter: .zero) { _ in }
            for _ in 0..<Int.random(in: 0..<100, using: &random) { driver.step() }
            let observer = bench.player.addPeriodicTimeObserver(forInterval: .ms(100)) { _ in }
            _ = observer
        }
        #expect(player == nil)
        #expect(item == nil)
        #expect(sink == nil)
    }
}
