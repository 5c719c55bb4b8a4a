import Dispatch
import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@testable import PlayheadFeed

@Suite("Feed: clips that fail, and settings that change while a clip plays")
struct FeedFaultTests {
    private func makeView() -> (ManualDriver, ScriptedBackend, VideoView) {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let view = VideoView(
            configuration: Player.Configuration(driver: driver, backend: backend),
            posters: PosterCache(),
            budget: PlaybackBudget()
        )
        return (driver, backend, view)
    }

    /// A feed of five clips of which the first one has faults until they are removed from the backend's script.
    private func makeBench(_ faults: [ScriptedMedia.Fault]) -> (FeedBench, ScriptedBackend, URL) {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let urls = (0..<5).map { backend.add(.silentClip($0 == 0 ? faults : [])) }
        let bench = FeedBench(driver, count: 5) { id in
            FeedBench.Clip(makeAsset: { backend.makeAsset(at: urls[id]) }, base: 25)
        }
        return (bench, backend, urls[0])
    }

    @Test(
        "A clip that fails, at once or in the middle, reports its error once, until it plays again",
        arguments: [.openFails(.notFound), .lost(fromPacket: 20)] as [ScriptedMedia.Fault],
        ["return", "retry", "reload"]
    )
    func failure(fault: ScriptedMedia.Fault, remedy: String) {
        let (bench, backend, url) = makeBench([fault])
        let failures = Locked<[String]>([])
        bench.feed.setFailureHandler { id, error in failures.withLock { $0.append("\(id) \(error.code)") } }
        // The clip may have failed before the handler was set.
        bench.reload([])
        bench.reload(Array(0..<5))
        bench.driver.run(seconds: 2)
        let code = fault == .openFails(.notFound) ? PlaybackError.Code.notFound : .io
        #expect(bench.feed.error(of: 0)?.code == code && bench.running == [])
        #expect(failures.withLock { $0 } == ["0 \(code)"])
        backend[url]?.faults = []
        switch remedy {
        case "retry": bench.feed.retry(0)
        case "reload": bench.feed.reload(0)
        default:
            bench.settle(at: 900)
            #expect(bench.running == [3])
            bench.settle(at: 0)
        }
        bench.driver.run(seconds: 0.5)
        #expect(bench.running == [0] && bench.feed.error(of: 0) == nil && failures.withLock { $0.count } == 1)
        #expect(bench.content(of: 0) == .video)
    }

    @Test("A view reports a failure in the middle of its clip")
    func viewFailsInMiddle() {
        let driver = ManualDriver(settlesByItself: true)
        var media = ScriptedMedia.silentClip()
        media.faults = [.lost(fromPacket: 20)]
        let backend = ScriptedBackend(media, driver: driver)
        let view = VideoView(
            configuration: Player.Configuration(driver: driver, backend: backend),
            posters: PosterCache(),
            budget: PlaybackBudget()
        )
        let failures = Locked(0)
        view.setFailureHandler { _ in failures.withLock { $0 += 1 } }
        view.url = backend.add()
        driver.run(seconds: 3)
        #expect(view.error?.code == .io && view.player == nil && failures.withLock { $0 } == 1)
        view.url = backend.add(.silentClip())
        driver.run(seconds: 0.5)
        #expect(view.error == nil && view.player?.rate == 1)
    }

    @Test(
        "A clip that the failure handler sets is shown, also if the former clip fails while it is being set"
    )
    func replacedOnFailure() {
        let (driver, backend, view) = makeView()
        let sink = RecordingSink()
        view.add(sink)
        let url = backend.add()
        view.setFailureHandler { [weak view] _ in view?.url = url }
        view.url = backend.add(.silentClip([.openFails(.notFound)]))
        driver.run(seconds: 0.5)
        #expect(view.url == url && view.error == nil && view.player?.rate == 1)
        let count = sink.frames.withLock { $0.count }
        driver.run(seconds: 0.5)
        #expect(view.content == .video && sink.frames.withLock { $0.count } > count)
    }

    @Test("The repeat mode takes effect while a clip plays, in both directions", arguments: [true, false])
    func repeatMode(fromOnce: Bool) {
        let (driver, backend, view) = makeView()
        let sink = RecordingSink()
        view.add(sink)
        let ends = Locked(0)
        view.setEndHandler { ends.withLock { $0 += 1 } }
        view.repeatMode = fromOnce ? .once : .loop
        view.url = backend.add()
        driver.run(seconds: 1)
        let calls = sink.calls.withLock { $0.count }
        view.repeatMode = fromOnce ? .loop : .once
        driver.run(seconds: 5)
        // The passes follow each other without a seek.
        #expect(sink.calls.withLock { !$0.dropFirst(calls).contains("flush") })
        #expect(view.player?.rate == (fromOnce ? 1 : 0) && view.isPlaying == fromOnce)
        #expect(ends.withLock { $0 } == (fromOnce ? 0 : 1))
        // After the end, the view plays again when it is asked to, whatever its repeat mode is then.
        view.repeatMode = .loop
        view.isPlaying = true
        driver.run(seconds: 5)
        #expect(view.player?.rate == 1 && view.isPlaying)
    }

    @Test("A clip that is set to repeat while it ends plays again, unless its end has been reported before")
    func repeatAtEnd() {
        var outcomes: Set<Int> = []
        // The orders of the steps in which the clip ends, and the number of them before the change.
        for (seed, count) in (0..<64).map({ (UInt64($0 / 8), $0 % 8) }) {
            let driver = ManualDriver(seed: seed)
            let (endCount, isPlaying, rate) = repeatAtEnd(driver, after: count)
            // The player has been released.
            driver.settle()
            outcomes.insert(endCount)
            #expect(
                isPlaying == (endCount == 0) && rate == (endCount == 0 ? 1 : 0),
                "seed \(seed), \(count) steps"
            )
        }
        #expect(outcomes == [0, 1])
    }

    /// Plays a clip until a number of steps after its end is due, sets it to repeat, and plays on. Returns the number of
    /// reported ends, and the state.
    private func repeatAtEnd(_ driver: ManualDriver, after count: Int) -> (Int, Bool, Float?) {
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let view = VideoView(
            configuration: Player.Configuration(driver: driver, backend: backend),
            posters: PosterCache(),
            budget: PlaybackBudget()
        )
        let ends = Locked(0)
        view.setEndHandler { ends.withLock { $0 += 1 } }
        view.repeatMode = .once
        view.url = backend.add()
        driver.run(seconds: 1.99)
        var steps = 0
        driver.run(atMost: 1) {
            steps += 1
            return steps > count
        }
        view.repeatMode = .loop
        driver.run(seconds: 5)
        return (ends.withLock { $0 }, view.isPlaying, view.player?.rate)
    }

    @Test("A clip that is reloaded while it plays starts with its new asset from zero")
    func reloadWhilePlaying() {
        let (bench, backend, url) = makeBench([])
        bench.driver.run(seconds: 1)
        let count = bench.frames(of: 0).count
        #expect(bench.frames(of: 0).last == .ms(1000))
        backend[url] = ScriptedMedia(video: .init(frameCount: 20, frameRate: 10))
        bench.feed.reload(0)
        bench.driver.run(seconds: 0.5)
        let frames = bench.frames(of: 0).dropFirst(count)
        #expect(Set(frames) == Set((0...5).map { .ms(Int64($0) * 100) }) && bench.running == [0], "\(frames)")
    }

    @Test("Clips without an asset are reported in the order of the list, one after the other")
    func noAssets() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let feed = FeedPlayer<Int>(
            configuration: Player.Configuration(driver: driver, backend: backend),
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { _ in nil }
        let failed = Locked<[Int]>([])
        feed.setFailureHandler { id, _ in failed.withLock { $0.append(id) } }
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 100)))
        feed.setCells(
            (0..<100).map { FeedCell($0, frame: CGRect(x: 0, y: $0 * 100, width: 100, height: 100)) }
        )
        driver.run(seconds: 0.5)
        // After as many failures, no further clip is preloaded.
        #expect(failed.withLock { $0 } == [0, 1, 2, 3])
    }

    @Test("The player of a clip that is reloaded and has no asset any more is paused and muted")
    func reloadWithoutAsset() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let url = backend.add()
        let (budget, hasAsset) = (PlaybackBudget(), Locked(true))
        let feed = FeedPlayer<Int>(
            configuration: Player.Configuration(driver: driver, backend: backend),
            posters: PosterCache(),
            budget: budget
        ) { _ in hasAsset.withLock { $0 } ? Asset(url: url) : nil }
        let frame = CGRect(x: 0, y: 0, width: 100, height: 100)
        feed.setViewport(FeedViewport(frame))
        feed.setCells([FeedCell(0, frame: frame)])
        feed.setMuted(false)
        driver.run(seconds: 0.5)
        let players = budget.members.compactMap(\.player)
        #expect(players.map(\.rate) == [1] && players.map(\.isMuted) == [false])
        hasAsset.withLock { $0 = false }
        feed.reload(0)
        driver.run(seconds: 0.5)
        // The feed keeps the player for the next clip, which may be one that is only preloaded.
        #expect(feed.playerCount == 1 && feed.player(for: 0) == nil)
        #expect(players.map(\.rate) == [0] && players.map(\.isMuted) == [true])
    }

    @Test("A view calls its handlers, and a new clip plays after the end of the last one")
    func viewHandlers() {
        let (driver, backend, view) = makeView()
        let sink = RecordingSink()
        view.add(sink)
        let calls = Locked<[String]>([])
        view.setReadyHandler { calls.withLock { $0.append("ready") } }
        view.setEndHandler { calls.withLock { $0.append("end") } }
        view.repeatMode = .once
        view.asset = backend.makeAsset(at: backend.add())
        driver.run(seconds: 3)
        #expect(calls.withLock { $0 } == ["ready", "end"] && !view.isPlaying)
        view.url = backend.add()
        #expect(view.isPlaying)
        driver.run(seconds: 3)
        #expect(calls.withLock { $0 } == ["ready", "end", "ready", "end"])
        view.size = PixelSize(width: 64, height: 64)
        view.isPlaying = true
        driver.run(seconds: 1)
        #expect(sink.sizes.last == PixelSize(width: 64, height: 64))
    }

    @Test("A clip whose asset another player takes over while it is preloaded is preloaded again")
    func takenOver() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let configuration = Player.Configuration(driver: driver, backend: backend)
        let assets = (0..<3).map { id in
            backend.makeAsset(.silentClip(id == 1 ? [.stall(atPacket: 8, until: 3)] : []))
        }
        let feed = FeedPlayer<Int>(
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { assets[$0] }
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 100)))
        feed.setCells((0..<3).map { FeedCell($0, frame: CGRect(x: 0, y: $0 * 100, width: 100, height: 100)) })
        driver.run(seconds: 0.5)
        #expect(feed.plan.ready == [1, 2] && feed.player(for: 1) == nil)
        let other = Player(playerItem: PlayerItem(asset: assets[1]), configuration: configuration)
        driver.run(seconds: 0.5)
        other.replaceCurrentItem(with: nil)
        driver.run(seconds: 4)
        #expect(feed.player(for: 1) != nil)
        #expect(backend.openCount(of: assets[1].url) == 2)
    }

    @Test("During an interruption no clip plays unless the user plays it; then the chosen clip resumes")
    func interruption() throws {
        let bench = FeedBench(scripts: 4, hasAudio: true)
        bench.feed.setMuted(false)
        bench.driver.run(seconds: 0.5)
        let device = try #require(bench.openDevices.first)
        let player = try #require(bench.feed.player(for: 0))
        device.beginInterruption()
        bench.driver.run(seconds: 0)
        #expect(bench.running == [] && player.isInterrupted)
        // The feed decides again.
        bench.settle(at: 5)
        #expect(bench.running == [])
        // The interruption ends while nothing may play.
        bench.feed.setInBackground(true)
        let rateChanges = Locked(0)
        let token = player.onEvent { timed in
            if case .rateChanged = timed.event { rateChanges.withLock { $0 += 1 } }
        }
        device.endInterruption()
        bench.driver.run(seconds: 1)
        #expect(rateChanges.withLock { $0 } == 0)
        bench.feed.setInBackground(false)
        #expect(bench.running == [0])
        // The clip is chosen again during the interruption.
        device.beginInterruption()
        bench.feed.setOnScreen(false)
        bench.feed.setOnScreen(true)
        bench.driver.run(seconds: 1)
        #expect(bench.running == [])
        device.endInterruption()
        bench.driver.run(seconds: 0)
        #expect(bench.running == [0])
        device.beginInterruption()
        bench.driver.run(seconds: 0)
        bench.feed.play(0)
        #expect(bench.running == [0])
        withExtendedLifetime(token) {}
    }

    @Test("A stall and its end, and a suspension by the budget, are reported as changes")
    func changes() {
        let bench = FeedBench(scripts: 3) { $0 == 0 ? [.stall(atPacket: 8, until: 3)] : [] }
        bench.driver.run(seconds: 4)
        let changes = bench.changes.withLock { $0 }
        let first = changes.firstIndex(of: .waiting(0, true))
        let last = changes.lastIndex(of: .waiting(0, false))
        #expect(first != nil && last != nil && first ?? 0 < last ?? 0)
        bench.budget.limits.openPlayers = 1
        bench.driver.run(seconds: 0.5)
        #expect(bench.changes.withLock { $0.contains(.suspended(1, true)) })
        bench.budget.limits = .init()
        bench.driver.run(seconds: 0.5)
        #expect(
            bench.changes.withLock { $0.last } == .suspended(2, false)
                || bench.changes.withLock { $0.last } == .suspended(1, false)
        )
    }
}

@Suite("Feed: layers and posters")
struct FeedPosterTests {
    private static let size = PixelSize(width: 64, height: 48)

    /// Creates a feed that shows a whole cell and half of the next one, and a layer with a sink that is not assigned yet.
    private func makeTwoCells(_ driver: ManualDriver) -> (FeedPlayer<Int>, FeedLayer, RecordingSink) {
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let feed = makeFeed(driver, backend, backend.add())
        let (layer, sink) = (FeedLayer(size: Self.size), RecordingSink())
        layer.add(sink)
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 150)))
        feed.setCells((0..<2).map { FeedCell($0, frame: CGRect(x: 0, y: $0 * 100, width: 100, height: 100)) })
        return (feed, layer, sink)
    }

    private func makeFeed(_ driver: ManualDriver, _ backend: ScriptedBackend, _ url: URL) -> FeedPlayer<Int> {
        FeedPlayer(
            configuration: Player.Configuration(driver: driver, backend: backend),
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { _ in Asset(url: url) }
    }

    /// All orders of four steps.
    private static let callOrders: [[Int]] = {
        var orders: [[Int]] = [[]]
        for step in 0..<4 {
            orders = orders.flatMap { order in
                (0...order.count).map { order.prefix($0) + [step] + order.dropFirst($0) }
            }
        }
        return orders
    }()

    @Test(
        "A poster is shown in its size for each order of setting sink, size, layer and cells",
        arguments: callOrders
    )
    func everyOrder(order: [Int]) {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let feed = makeFeed(driver, backend, backend.add())
        let layer = FeedLayer(size: .zero)
        let sink = RecordingSink()
        // The second cell does not play, so it shows its poster.
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 150)))
        for step in order {
            switch step {
            case 0: layer.add(sink)
            case 1: layer.size = Self.size
            case 2: feed.setLayer(layer, for: 1)
            default:
                feed.setCells(
                    (0..<3).map { FeedCell($0, frame: CGRect(x: 0, y: $0 * 100, width: 100, height: 100)) }
                )
            }
            driver.run(seconds: 0.01)
        }
        feed.pause(0)
        driver.run(seconds: 0.5)
        #expect(layer.content != .nothing && sink.sizes.last == Self.size, "\(order)")
    }

    @Test("A layer with an empty size does not open its clip for a poster")
    func emptySize() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let url = backend.add()
        let feed = makeFeed(driver, backend, url)
        let (layer, sink) = (FeedLayer(size: PixelSize(width: 64, height: 0)), RecordingSink())
        layer.add(sink)
        feed.setLayer(layer, for: 0)
        driver.run(seconds: 0.2)
        #expect(layer.content == .nothing && backend.openCount(of: url) == 0)
        layer.size = Self.size
        driver.run(seconds: 0.2)
        #expect(sink.sizes == [Self.size] && backend.openCount(of: url) == 1)
    }

    @Test("A sink that joins later receives the poster, and the other sinks do not receive it again")
    func laterSink() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let feed = makeFeed(driver, backend, backend.add())
        let layer = FeedLayer(size: Self.size)
        let sinks = [RecordingSink(), RecordingSink()]
        let contents = Locked<[FeedLayer.Content]>([])
        layer.setContentHandler { content in contents.withLock { $0.append(content) } }
        layer.add(sinks[0])
        // Without a cell the clip has no player.
        feed.setLayer(layer, for: 0)
        driver.run(seconds: 0.2)
        layer.add(sinks[1])
        driver.run(seconds: 0.2)
        #expect(sinks.map(\.sizes) == [[Self.size], [Self.size]])
        layer.size = PixelSize(width: 32, height: 24)
        driver.run(seconds: 0.2)
        #expect(sinks.map { $0.sizes.last?.width } == [32, 32] && sinks.map(\.sizes.count) == [2, 2])
        #expect(contents.withLock { $0 } == [.poster])
        feed.setLayer(nil, for: 0)
        #expect(contents.withLock { $0 } == [.poster, .nothing])
    }

    @Test("A sink receives the poster although the sink for which it was being made is removed")
    func removedSink() {
        let driver = ManualDriver()
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let feed = makeFeed(driver, backend, backend.add())
        let (layer, sinks) = (FeedLayer(size: Self.size), [RecordingSink([.rgba]), RecordingSink()])
        for sink in sinks { layer.add(sink) }
        feed.setLayer(layer, for: 0)
        // The request has begun.
        driver.step()
        driver.step()
        layer.remove(sinks[0])
        driver.settle()
        #expect(layer.content == .poster && sinks.map(\.sizes) == [[], [Self.size]])
    }

    @Test("A sink that joins a visible cell whose player was released receives the poster")
    func sinkAfterRelease() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let url = backend.add()
        var settings = FeedSettings()
        settings.readyCount = 0
        let feed = FeedPlayer<Int>(
            settings: settings,
            configuration: Player.Configuration(driver: driver, backend: backend),
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { _ in Asset(url: url) }
        let layer = FeedLayer(size: Self.size)
        let sinks = [RecordingSink(), RecordingSink()]
        layer.add(sinks[0])
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 140)))
        feed.setCells((0..<2).map { FeedCell($0, frame: CGRect(x: 0, y: $0 * 100, width: 100, height: 100)) })
        feed.setLayer(layer, for: 0)
        driver.run(seconds: 0.5)
        #expect(layer.content == .video)
        // The second clip takes the only player.
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 60, width: 100, height: 140)))
        driver.run(seconds: 0.2)
        let count = sinks[0].sizes.count
        driver.run(seconds: 0.2)
        #expect(feed.player(for: 0) == nil && layer.content == .video && sinks[0].sizes.count == count)
        layer.add(sinks[1])
        driver.run(seconds: 0.2)
        #expect(layer.content == .poster && sinks[1].sizes == [Self.size])
        // The frames of the player that the clip gets again replace the poster.
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 140)))
        driver.run(seconds: 0.5)
        #expect(layer.content == .video && sinks.allSatisfy { $0.sizes.count > 2 })
    }

    @Test("Clips in memory that have the same name show their own posters", .enabled(if: Fixture.areThere))
    func clipsInMemory() throws {
        let driver = ManualDriver(settlesByItself: true)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        let assets = try ["clip-h264-aac.mp4", "vfr.mp4"].map { file in
            Asset(DataByteSource([UInt8](try Data(contentsOf: Fixture.url(file))), name: "clip.mp4"))
        }
        let feed = FeedPlayer<Int>(
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { assets[$0] }
        let sinks = [RecordingSink(), RecordingSink()]
        for (id, sink) in sinks.enumerated() {
            let layer = FeedLayer()
            layer.add(sink)
            // Without a cell the clip has no player.
            feed.setLayer(layer, for: id)
            driver.run(seconds: 0.2)
        }
        // The time bases of the frames tell the clips apart.
        #expect(sinks.map(\.rates) == [[15360], [600]] && feed.playerCount == 0)
    }

    @Test("A layer that several clips have used is released after its cell")
    func releasedLayer() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let feed = makeFeed(driver, backend, backend.add())
        let sink = RecordingSink()
        weak var released: FeedLayer?
        do {
            let layer = FeedLayer(size: Self.size)
            released = layer
            layer.add(sink)
            for id in 0..<3 {
                feed.setLayer(layer, for: id)
                driver.run(seconds: 0.2)
            }
            // The last of several calls counts.
            for id in [1, 2, 1] { feed.setLayer(layer, for: id) }
            driver.run(seconds: 0.2)
            #expect(layer.content == .poster)
            feed.setLayer(nil, for: 1)
            driver.run(seconds: 0.2)
        }
        #expect(released == nil && sink.calls.withLock { $0.last } == "finish" && feed.playerCount == 0)
    }

    @Test("Frames have the size that a layer returns, also if two threads set it")
    func sizeOfTwoThreads() {
        let driver = ManualDriver()
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let feed = makeFeed(driver, backend, backend.add())
        let (layer, sink) = (FeedLayer(size: Self.size), RecordingSink())
        layer.add(sink)
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 100)))
        feed.setCells([FeedCell(0, frame: CGRect(x: 0, y: 0, width: 100, height: 100))])
        feed.setLayer(layer, for: 0)
        driver.run(seconds: 0.5)
        feed.pause(0)
        driver.run(seconds: 0.5)
        for round in 0..<200 {
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                for width in 1...20 { layer.size = PixelSize(width: 20 * width + 10 * index, height: 10) }
            }
            driver.settle()
            #expect(sink.sizes.last == layer.size, "round \(round)")
        }
    }

    @Test("A sink is flushed when its layer is assigned to another clip")
    func flush() {
        let driver = ManualDriver(settlesByItself: true)
        let (feed, layer, sink) = makeTwoCells(driver)
        feed.setLayer(layer, for: 0)
        driver.run(seconds: 0.5)
        let before = sink.calls.withLock { $0.count }
        // Setting the same layer again changes nothing.
        feed.setLayer(layer, for: 0)
        #expect(layer.content == .video)
        let contents = Locked<[FeedLayer.Content]>([])
        layer.setContentHandler { content in contents.withLock { $0.append(content) } }
        feed.setLayer(layer, for: 1)
        driver.run(seconds: 0.2)
        #expect(contents.withLock { $0.first } == .nothing && layer.content != .nothing)
        let calls = sink.calls.withLock { $0.dropFirst(before) }
        #expect(
            calls.first == "flush" && calls.filter { $0 == "flush" }.count == 1 && calls.contains("present")
        )
    }

    @Test(
        "Assigning a layer takes effect in the call: frames of the old clip are dropped while the feed's queue is busy"
    )
    func boundInCall() {
        let queue = DispatchQueue(label: "feed")
        var configuration = Player.Configuration()
        configuration.callbackQueue = queue
        let feed = FeedPlayer<Int>(
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { _ in nil }
        let layer = FeedLayer()
        let sink = RecordingSink()
        layer.add(sink)
        feed.setLayer(layer, for: 0)
        let number = layer.binding
        let busy = DispatchSemaphore(value: 0)
        queue.async { busy.wait() }
        feed.setLayer(layer, for: 1)
        #expect(layer.binding == number + 1)
        // A layer that is given to another feed no longer belongs to the first one.
        let other = FeedPlayer<Int>(posters: PosterCache(), budget: PlaybackBudget()) { _ in nil }
        other.setLayer(layer, for: 0)
        #expect(layer.binding == number + 2)
        feed.setLayer(nil, for: 1)
        #expect(layer.binding == number + 2)
        busy.signal()
        queue.sync {}
        #expect(layer.binding == number + 2)
    }

    @Test("A layer that is assigned to a clip again while it is being assigned to it shows the clip")
    func boundMeanwhile() {
        let driver = ManualDriver(settlesByItself: true)
        let (feed, layer, _) = makeTwoCells(driver)
        feed.setLayer(layer, for: 1)
        driver.run(seconds: 0.2)
        #expect(layer.content != .nothing)
        let isFirst = Locked(true)
        // The handler is called within the assignment, and assigns the layer as another thread might.
        layer.setContentHandler { [weak layer, weak feed] content in
            let wasFirst = isFirst.withLock { value in
                defer { value = false }
                return value
            }
            if wasFirst { feed?.setLayer(layer, for: 0) }
        }
        feed.setLayer(layer, for: 0)
        #expect(!isFirst.withLock { $0 })
        driver.run(seconds: 0.5)
        #expect(layer.content == .video)
    }

    @Test("A layer that is assigned to another clip while it is being assigned stays with that clip")
    func boundToAnotherMeanwhile() {
        let driver = ManualDriver()
        let (feed, layer, sink) = makeTwoCells(driver)
        feed.setLayer(layer, for: 0)
        driver.run(seconds: 0.2)
        let isFirst = Locked(true)
        // The handler is called within the assignment, and assigns the layer as another thread might.
        layer.setContentHandler { [weak layer, weak feed] content in
            let wasFirst = isFirst.withLock { value in
                defer { value = false }
                return value
            }
            if wasFirst { feed?.setLayer(layer, for: 2) }
        }
        // Without cells these clips have no players.
        feed.setLayer(layer, for: 3)
        #expect(!isFirst.withLock { $0 })
        driver.run(seconds: 0.2)
        #expect(layer.content == .poster && sink.sizes.last == Self.size)
        layer.size = PixelSize(width: 32, height: 24)
        driver.run(seconds: 0.2)
        #expect(sink.sizes.last?.width == 32)
    }

    @Test("The bars of a poster have the layer's background color", .enabled(if: Fixture.areThere))
    func bars() throws {
        let driver = ManualDriver(settlesByItself: true)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let url = Fixture.url("clip-h264-aac.mp4")
        let feed = FeedPlayer<Int>(
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { _ in
            Asset(url: url)
        }
        let (layer, sink) = (FeedLayer(size: PixelSize(width: 64, height: 200)), RecordingSink([.rgba]))
        layer.backgroundColor = Color(red: 1, green: 0, blue: 0)
        layer.add(sink)
        // Without a cell the clip has no player.
        feed.setLayer(layer, for: 0)
        driver.run(seconds: 0.5)
        let frame = try #require(sink.frames.withLock { $0.first })
        #expect(layer.content == .poster)
        let corner = frame.withPlanes { planes in
            (0..<4).map { planes[0].baseAddress.load(fromByteOffset: $0, as: UInt8.self) }
        }
        #expect(corner == [255, 0, 0, 255])
    }

    @Test("A file that is replaced under its name gets a new poster", .enabled(if: Fixture.areThere))
    func replacedFile() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "posters-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("clip.mp4")
        let posters = PosterCache()
        var bases: [Int32?] = []
        for name in ["clip-h264-aac.mp4", "clip-h264-aac.mp4", "vfr.mp4"] {
            if name == "vfr.mp4" { try FileManager.default.removeItem(at: url) }
            if !FileManager.default.fileExists(atPath: url.path) {
                try FileManager.default.copyItem(at: Fixture.url(name), to: url)
            }
            let driver = ManualDriver(settlesByItself: true)
            var configuration = Player.Configuration()
            configuration.clock = .driver(driver)
            let feed = FeedPlayer<Int>(
                configuration: configuration,
                posters: posters,
                budget: PlaybackBudget()
            ) { _ in
                Asset(url: url)
            }
            let (layer, sink) = (FeedLayer(), RecordingSink())
            layer.add(sink)
            feed.setLayer(layer, for: 0)
            driver.run(seconds: 0.5)
            bases.append(sink.frames.withLock { $0.first }?.sourceTime.timeBase.denominator)
        }
        #expect(bases == [15360, 15360, 600] && posters.count == 1)
    }

    @Test(
        "Posters of network clips wait until the clips that play have data; files do not wait",
        arguments: [true, false]
    )
    func remotePosters(isRemote: Bool) throws {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let urls = try (0..<3).map { index in
            let url = try #require(
                URL(string: isRemote ? "http://server.test/\(index).mp4" : "file:///\(index).mp4")
            )
            backend[url] = .silentClip(index == 0 ? [.stall(atPacket: 0, until: 2)] : [])
            return url
        }
        let bench = FeedBench(driver, count: 3, height: 100) { id in
            FeedBench.Clip(makeAsset: { backend.makeAsset(at: urls[id]) }, base: 25)
        }
        driver.run(seconds: 1)
        #expect(urls.dropFirst().map { backend.openCount(of: $0) } == (isRemote ? [0, 0] : [1, 1]))
        driver.run(seconds: 2)
        #expect((0..<3).allSatisfy { bench.content(of: $0) != .nothing })
    }

    @Test("A feed keeps a bounded number of assets")
    func assets() {
        let bench = FeedBench(scripts: 400, height: 400)
        for page in 0..<400 { bench.settle(at: Double(page) * 400) }
        #expect(Set(bench.heldAssets).count <= 64 + 8)
        bench.settle(at: 0)
        bench.driver.run(seconds: 0.5)
        #expect(bench.running == [0])
    }

    @Test("A poster is shown although its layer changes while it is made, also to the shape that it had")
    func changesWhileMade() {
        let driver = ManualDriver()
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let feed = makeFeed(driver, backend, backend.add())
        let (layer, sinks) = (FeedLayer(size: Self.size), [RecordingSink(), RecordingSink()])
        layer.add(sinks[0])
        feed.setLayer(layer, for: 0)
        // The first request has begun, and none of these waits for it.
        driver.step()
        driver.step()
        layer.size = PixelSize(width: 32, height: 24)
        driver.step()
        layer.backgroundColor = Color(red: 1, green: 0, blue: 0)
        layer.add(sinks[1])
        driver.step()
        layer.size = Self.size
        layer.size = Self.size
        driver.settle()
        #expect(layer.content == .poster && sinks.map { $0.sizes.last } == [Self.size, Self.size])
    }

    @Test("A layer shows its clip again if its cell is removed and listed in one turn")
    func relisted() {
        let driver = ManualDriver()
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        let feed = makeFeed(driver, backend, backend.add())
        let layer = FeedLayer(size: Self.size)
        let sink = RecordingSink()
        layer.add(sink)
        let cells = [FeedCell(0, frame: CGRect(x: 0, y: 0, width: 100, height: 100))]
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 100)))
        feed.setCells(cells)
        feed.setLayer(layer, for: 0)
        driver.run(seconds: 0.5)
        feed.setCells([])
        feed.setCells(cells)
        feed.setLayer(layer, for: 0)
        let before = sink.frames.withLock { $0.count }
        driver.run(seconds: 0.5)
        #expect(layer.content == .video && sink.frames.withLock { $0.count } > before + 5)
        feed.setCells([])
        driver.run(seconds: 0.1)
        #expect(layer.content == .nothing)
    }

    @Test("Each clip without an asset is reported once")
    func noAssets() {
        let driver = ManualDriver()
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        var settings = FeedSettings()
        settings.rule = .all(atLeast: 0, upTo: 5)
        let feed = FeedPlayer<Int>(
            settings: settings,
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { _ in nil }
        let failures = Locked<[Int]>([])
        feed.setFailureHandler { id, _ in failures.withLock { $0.append(id) } }
        feed.setViewport(FeedViewport(CGRect(x: 0, y: 0, width: 100, height: 500)))
        feed.setCells((0..<5).map { FeedCell($0, frame: CGRect(x: 0, y: $0 * 100, width: 100, height: 100)) })
        driver.run(seconds: 0.1)
        #expect(failures.withLock { $0.sorted() } == [0, 1, 2, 3, 4])
    }
}
