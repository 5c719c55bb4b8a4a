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
        let backend = ScriptedBackend(.clip(), driver: driver)
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

    @Test("A pause reports its completion once the engine has paused, and not when the rate can be read as 0")
    func pauseCompletion() {
        let bench = PlayerTestBench()
        let item = bench.load()
        bench.player.play()
        bench.driver.run(until: HostTime(nanoseconds: 300_000_000))
        #expect(item.timebase.rate == 1)
        let rates = Locked([Float]())
        bench.player.pause { rates.withLock { $0.append(item.timebase.rate) } }
        #expect(bench.player.timeControlStatus == .paused)
        #expect(item.timebase.rate == 1)
        #expect(rates.withLock { $0 }.isEmpty)
        bench.driver.settle()
        #expect(rates.withLock { $0 } == [0])
        let time = bench.player.currentTime()
        bench.driver.run(seconds: 1)
        #expect(bench.player.currentTime() == time)
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
}
