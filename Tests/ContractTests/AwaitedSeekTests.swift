import Foundation
import PlaybackEngine
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: asynchronous seeks")
struct AwaitedSeekTests {
    @Test(
        "Each asynchronous form returns after the sinks have received the frame, and reports that it finished"
    )
    func finished() async {
        let scene = await VirtualScene.loaded()
        let (player, item, sink) = (scene.player, scene.item, scene.sink)
        #expect(sink.numbers == [0])
        #expect(await player.seek(to: .ms(1390)))
        #expect(sink.numbers.last == 30)
        #expect(await player.seek(to: .ms(1390), toleranceBefore: .zero, toleranceAfter: .zero))
        #expect(sink.numbers.last == 34)
        #expect(await item.seek(to: .ms(390)))
        #expect(sink.numbers.last == 0)
        #expect(await item.seek(to: .ms(390), toleranceBefore: .zero, toleranceAfter: .zero))
        #expect(sink.numbers.last == 9)
        // A discarded result is awaited as well, without a compiler warning.
        await player.seek(to: .ms(1390))
        #expect(sink.numbers.last == 30)
        await item.seek(to: .ms(390))
        #expect(sink.numbers.last == 0)
    }

    /// The function is not `async`, so that these calls resolve to the forms that return at once.
    private func begin(_ player: Player, _ item: PlayerItem, _ report: @escaping @Sendable (Bool) -> Void) {
        player.seek(to: .ms(100))
        player.seek(to: .ms(200), toleranceBefore: .zero, toleranceAfter: .zero)
        player.seek(to: .ms(300), completionHandler: report)
        player.seek(to: .ms(400)) { report($0) }
        player.seek(to: .ms(500), completionHandler: nil)
        item.seek(to: .ms(600))
        item.seek(to: .ms(700), completionHandler: report)
        item.seek(to: .ms(800)) { report($0) }
        item.seek(to: .ms(900), completionHandler: nil)
        item.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: report)
    }

    @Test("Outside a task the same names return at once, without waiting")
    func synchronous() {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        let reported = Locked([Bool]())
        begin(bench.player, item) { finished in reported.withLock { $0.append(finished) } }
        #expect(item.currentTime() == .ms(1000))
        #expect(reported.withLock { $0 }.isEmpty)
        bench.driver.settle()
        #expect(reported.withLock { $0 } == [false, false, false, false, true])
        #expect(bench.videoSink.numbers.last == 25)
    }

    @Test("Inside a task the form with a completion handler does not wait either")
    func handlerInsideTask() async {
        // The driver does not run by itself, so that the second seek always precedes the end of the first one.
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        let reported = Locked([Bool]())
        bench.player.seek(to: .ms(1390)) { finished in reported.withLock { $0.append(finished) } }
        item.seek(to: .ms(390)) { finished in reported.withLock { $0.append(finished) } }
        #expect(item.currentTime() == .ms(390))
        #expect(reported.withLock { $0 }.isEmpty)
        bench.driver.settle()
        #expect(reported.withLock { $0 } == [false, true])
        #expect(bench.videoSink.numbers.last == 0)
    }

    @Test("A seek without an item or a time, or one that is superseded or loses its item, returns false")
    func unfinished() async {
        let driver = ManualDriver()
        do {
            let empty = Player(
                configuration: Player.Configuration(
                    driver: driver,
                    backend: ScriptedBackend(driver: driver)
                )
            )
            #expect(await !empty.seek(to: .ms(100)))
            #expect(await !empty.seek(to: .now))
        }
        // A player that is released leaves its remaining work to its driver.
        driver.settle()
        let scene = await VirtualScene.loaded()
        let (player, item) = (scene.player, scene.item)
        #expect(await !player.seek(to: .invalid))
        #expect(await !item.seek(to: .indefinite))
        // The item has no dates.
        #expect(await !player.seek(to: Date.now))
        #expect(await !item.seek(to: Date.now, toleranceBefore: .zero, toleranceAfter: .zero))
        #expect(item.currentTime() == .zero)
        let stale = PlayerItem(asset: item.asset)
        // No player plays the item, so the seek only sets its start position.
        #expect(await stale.seek(to: .ms(400)))
        #expect(stale.currentTime() == .ms(400))
    }

    @Test("A seek that is superseded by another one returns false", arguments: [false, true])
    func overtaken(byItem: Bool) async throws {
        let bench = PlayerTestBench(.silentClip())
        let item = bench.load()
        let (player, driver) = (bench.player, bench.driver)
        let first = Task { await player.seek(to: .ms(1390)) }
        // The first step begins the seek. Its target is visible before its thread sends it to the engine.
        try await within("the seek") { while !driver.step() { await Task.yield() } }
        if byItem {
            player.replaceCurrentItem(with: bench.makeItem())
        } else {
            player.pause()
            item.cancelPendingSeeks()
        }
        bench.driver.settle()
        #expect(try await within("the answer") { await first.value } == false)
    }

    @Test("Cancelling the task ends the wait, and the seek continues")
    func cancelled() async throws {
        let bench = PlayerTestBench(.silentClip())
        let (item, player) = (bench.load(), bench.player)
        let seeks: [@Sendable () async -> Bool] = [
            { await player.seek(to: .ms(1300), toleranceBefore: .zero, toleranceAfter: .zero) },
            { await item.seek(to: .ms(1320), toleranceBefore: .zero, toleranceAfter: .zero) },
            { await player.preroll(atRate: 1) },
        ]
        for (index, seek) in seeks.enumerated() {
            // The driver is not run, so without the cancellation the wait would never end.
            let task = Task { await seek() }
            if index < 2 {
                let target = MediaTime.ms(1300 + 20 * Int64(index))
                try await within("the seek") { while item.currentTime() != target { await Task.yield() } }
            }
            task.cancel()
            #expect(try await within("the answer") { await task.value } == false)
        }
        bench.driver.settle()
        #expect(bench.videoSink.numbers.last == 33)
        #expect(item.currentTime() == .ms(1320))
        // The task is cancelled before the seek begins.
        let early = Task {
            while !Task.isCancelled { await Task.yield() }
            return await player.seek(to: .ms(400), toleranceBefore: .zero, toleranceAfter: .zero)
        }
        early.cancel()
        #expect(try await within("the answer") { await early.value } == false)
        bench.driver.settle()
        #expect(bench.videoSink.numbers.last == 10)
    }
}

/// A player that runs by itself on the virtual clock, and the frames that it shows.
private struct VirtualScene {
    let player: Player
    let layer: PlayerLayer
    let sink: CapturingVideoSink
    let item: PlayerItem

    /// Returns once the first frame has been delivered to the sink.
    static func loaded(_ media: ScriptedMedia = .silentClip()) async -> VirtualScene {
        let driver = VirtualDriver()
        let backend = ScriptedBackend(media, driver: driver)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        configuration.backend = backend
        let player = Player(configuration: configuration)
        let sink = CapturingVideoSink(clock: driver.clock)
        let layer = PlayerLayer(player: player)
        layer.add(sink)
        let item = backend.makeItem()
        let events = player.events
        player.replaceCurrentItem(with: item)
        for await event in events { if case .readyForDisplayChanged(_, true) = event { break } }
        return VirtualScene(player: player, layer: layer, sink: sink, item: item)
    }
}
