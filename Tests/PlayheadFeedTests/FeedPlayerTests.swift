import Foundation
import MediaCore
import Playhead
import PlayheadFeed
import PlayheadTesting
import TestSupport
import Testing

@Suite("Feed: players")
struct FeedPlayerTests {
    @Test("1. The first clip plays without a scroll, and the other visible clips show their posters")
    func start() {
        let bench = FeedBench(scripts: 10)
        bench.driver.run(seconds: 1)
        #expect(bench.running == [0])
        #expect(
            bench.content(of: 0) == .video && bench.content(of: 1) == .video
                || bench.content(of: 1) == .poster
        )
        #expect(bench.frames(of: 0).count == 11)
        #expect(bench.frames(of: 1).allSatisfy { $0 == .zero })
        #expect(bench.feed.plan.ready == [1, 2] && bench.feed.playerCount == 3)
        #expect(bench.foreignFrames == 0)
    }

    @Test("A preloaded clip shows its first frame at once and continues from there")
    func swipe() {
        let bench = FeedBench(scripts: 10)
        bench.driver.run(seconds: 1)
        let player = bench.feed.player(for: 1)
        bench.settle(at: 300)
        #expect(bench.running == [1] && bench.feed.player(for: 1) === player)
        bench.driver.run(seconds: 0.5)
        #expect(bench.frames(of: 1).count >= 6)
        #expect(bench.feed.playerCount == 3 && bench.foreignFrames == 0)
    }

    @Test("4. A reassigned player and a reused cell never show the previous clip")
    func recycledCell() {
        let bench = FeedBench(scripts: 30)
        bench.driver.run(seconds: 0.5)
        guard let (layer, sink) = bench.layers[0] else { return }
        bench.drag(to: 3000)
        // The cell of clip 0 is reused for clip 10, which may get the player of clip 0.
        sink.seen.withLock { seen in
            seen.expected = 20
            seen.frames = []
        }
        bench.feed.setLayer(layer, for: 10)
        #expect(layer.content != .video)
        bench.settle(at: 3000)
        bench.driver.run(seconds: 0.5)
        #expect(bench.running == [10] && layer.content == .video)
        #expect(sink.seen.withLock { $0.foreignFrames } == 0 && sink.seen.withLock { $0.frames.count } > 5)
    }

    @Test("4. A layer that is moved to another cell receives only the frames of that cell")
    func movedLayer() {
        let bench = FeedBench(scripts: 4, settings: FeedSettings())
        bench.driver.run(seconds: 0.3)
        guard let (layer, sink) = bench.layers[0] else { return }
        sink.seen.withLock { $0.expected = 11 }
        bench.feed.setLayer(layer, for: 1)
        bench.driver.run(seconds: 0.5)
        #expect(sink.seen.withLock { $0.foreignFrames } == 0)
        #expect(bench.running == [0])
    }

    @Test("3. Two clips are never heard: while scrolling, while data is missing, or while several play")
    func sounds() {
        var settings = FeedSettings()
        settings.rule = .all(atLeast: 0, upTo: 3)
        for settings in [FeedSettings(), settings] {
            let bench = FeedBench(scripts: 20, height: 200, settings: settings) { id in
                id % 3 == 1 ? [.stall(atPacket: 5, until: 4)] : []
            }
            bench.feed.setMuted(false)
            var heard = 0
            for step in 0..<60 {
                if step % 4 == 3 {
                    bench.settle(at: Double(step) * 40)
                } else {
                    bench.drag(to: Double(step) * 40)
                }
                bench.driver.run(seconds: 0.1)
                #expect(bench.audible.count <= 1)
                heard += bench.audible.count
            }
            #expect(heard > 10)
        }
    }

    @Test("5. There are never more players than the pool allows, and no player is created while one is free")
    func pool() {
        let bench = FeedBench(scripts: 50)
        var seen: Set<ObjectIdentifier> = []
        for y in stride(from: 0.0, to: 12_000, by: 450) {
            bench.settle(at: y)
            bench.driver.run(seconds: 0.3)
            #expect(bench.feed.playerCount <= 3)
            for id in bench.ids {
                if let player = bench.feed.player(for: id) { seen.insert(ObjectIdentifier(player)) }
            }
        }
        #expect(seen.count == 3)
    }

    @Test(
        "6. A removed cell leaves no player, asset, request or poster"
    )
    func lifetime() {
        let bench = FeedBench(scripts: 10) { $0 == 1 ? [.stall(atPacket: 0, until: 1000)] : [] }
        bench.driver.run(seconds: 1)
        #expect(Set(bench.heldAssets).isSuperset(of: [0, 1]))
        bench.reload([20, 21])
        bench.driver.run(seconds: 0.1)
        #expect(Set(bench.heldAssets).isDisjoint(with: 0..<10))
        bench.reload([])
        bench.driver.run(seconds: 0.1)
        #expect(bench.heldAssets == [] && bench.running == [])
    }

    @Test("8. A clip resumes from its position when it returns, or starts from zero if set")
    func position() {
        for behavior in [FeedOffscreenBehavior.pause, .pauseAndRewind] {
            var settings = FeedSettings()
            settings.offscreenBehavior = behavior
            let bench = FeedBench(scripts: 20, settings: settings)
            bench.driver.run(seconds: 0.8)
            bench.settle(at: 3000)
            #expect(bench.feed.player(for: 0) == nil)
            bench.settle(at: 0)
            let first = bench.frames(of: 0).last { $0 != .zero } ?? .zero
            #expect(behavior == .pause ? first >= .ms(800) : first < .ms(400))
            #expect(bench.foreignFrames == 0)
        }
    }

    @Test(
        "8. So does a clip that keeps its player, also if it is one of the next clips at once",
        arguments: [(.pause, 1.0, true), (.pause, 1.7, false), (.pauseAndRewind, 1.0, false)]
            as [(FeedOffscreenBehavior, Double, Bool)],
        [false, true]
    )
    func positionOfKeptPlayer(row: (FeedOffscreenBehavior, Double, Bool), isNextAtOnce: Bool) {
        let (behavior, time, resumes) = row
        var settings = FeedSettings()
        settings.offscreenBehavior = behavior
        settings.rule = .mostVisible(atLeast: 0.8)
        let bench = FeedBench(scripts: 4, height: 700, settings: settings)
        bench.driver.run(seconds: time)
        let player = bench.feed.player(for: 0)
        // Both cells are half visible.
        if isNextAtOnce {
            bench.viewport.bounds.origin.y = 500
            bench.feed.setViewport(bench.viewport)
        } else {
            bench.drag(to: 500)
        }
        bench.driver.run(seconds: 0.1)
        #expect(bench.running == [] && bench.feed.plan.entry(of: 0)?.role == (isNextAtOnce ? .ready : .held))
        bench.settle(at: 0)
        bench.driver.run(seconds: 0.1)
        #expect(bench.running == [0] && bench.feed.player(for: 0) === player)
        let now = player?.currentTime() ?? .invalid
        #expect(resumes ? now >= .ms(1000) : now < .ms(500))
    }

    @Test("10. A clip that the user paused stays paused until the user plays it")
    func userPause() {
        let bench = FeedBench(scripts: 20)
        bench.driver.run(seconds: 0.5)
        bench.feed.pause(0)
        #expect(bench.running == [])
        bench.feed.setInBackground(true)
        bench.feed.setInBackground(false)
        bench.settle(at: 3000)
        bench.settle(at: 0)
        bench.driver.run(seconds: 1)
        #expect(bench.running == [] && bench.feed.plan.chosen == [0])
        bench.feed.play(0)
        #expect(bench.running == [0])
    }

    @Test("2. Off screen and in the background nothing runs; afterwards the same clip resumes")
    func hidden() {
        let bench = FeedBench(scripts: 20)
        bench.driver.run(seconds: 0.5)
        for flag in [true, false] {
            if flag { bench.feed.setOnScreen(false) } else { bench.feed.setInBackground(true) }
            let before = bench.frames(of: 0).count
            bench.driver.run(seconds: 1)
            #expect(bench.running == [] && bench.frames(of: 0).count <= before + 1)
            if flag { bench.feed.setOnScreen(true) } else { bench.feed.setInBackground(false) }
            #expect(bench.running == [0])
        }
    }

    @Test(
        "7. Preloading waits until the playing clip has started and has buffered enough"
    )
    func preloading() {
        let bench = FeedBench(
            scripts: 10,
            faults: { $0 == 0 ? [.stall(atPacket: 0, until: 2)] : [] },
            isLocal: false
        )
        bench.driver.run(seconds: 1)
        #expect(bench.feed.plan.ready == [] && bench.feed.player(for: 1) == nil)
        bench.driver.run(seconds: 2)
        #expect(bench.feed.plan.ready == [1, 2] && bench.feed.player(for: 1) != nil)
        #expect(bench.feed.player(for: 1)?.currentItem?.preferredForwardBufferDuration == 2)
    }

    @Test("One at a time: the second clip is opened when the first one is preloaded")
    func oneByOne() {
        var settings = FeedSettings()
        settings.preparesOneByOne = true
        let bench = FeedBench(scripts: 10, settings: settings) {
            $0 == 1 ? [.stall(atPacket: 0, until: 2)] : []
        }
        bench.driver.run(seconds: 1)
        #expect(bench.feed.plan.ready == [1, 2])
        #expect(bench.feed.player(for: 1) == nil && bench.reads(of: 2) == 0)
        bench.driver.run(seconds: 1.5)
        #expect(bench.feed.player(for: 1) != nil && bench.feed.player(for: 2) != nil)
        #expect(bench.openCount(of: 2) == 1)
        // Without the setting, both are loaded at the same time.
        settings.preparesOneByOne = false
        let other = FeedBench(scripts: 10, settings: settings) {
            $0 == 1 ? [.stall(atPacket: 0, until: 2)] : []
        }
        other.driver.run(seconds: 1)
        #expect(other.feed.player(for: 1) == nil && other.feed.player(for: 2) != nil)
    }

    @Test("A clip that cannot be played releases its player and reports its error; its neighbors play")
    func failure() {
        let bench = FeedBench(scripts: 10) { $0 % 2 == 0 ? [.openFails(.notFound)] : [] }
        bench.driver.run(seconds: 0.5)
        #expect(bench.feed.plan.chosen == [0] && bench.feed.player(for: 0) == nil)
        #expect(bench.feed.error(of: 0)?.code == .notFound)
        bench.settle(at: 300)
        #expect(bench.running == [1])
    }

    @Test("A stalled clip stays chosen and resumes when data arrives")
    func stall() {
        let bench = FeedBench(scripts: 10) { $0 == 0 ? [.stall(atPacket: 8, until: 3)] : [] }
        bench.driver.run(seconds: 2)
        #expect(bench.feed.plan.entry(of: 0)?.reasons == .waiting && bench.running == [0])
        bench.driver.run(seconds: 1.5)
        #expect(bench.feed.plan.entry(of: 0)?.reasons == [])
        #expect(bench.frames(of: 0).count > 12)
    }

    @Test("Releasing the feed releases everything")
    func release() {
        let driver = ManualDriver(settlesByItself: true)
        weak var player: Player?
        do {
            let bench = FeedBench(driver) { _ in
                .init(makeAsset: { Asset(url: URL(fileURLWithPath: "/nowhere")) }, base: 0)
            }
            driver.run(seconds: 0.1)
            player = bench.feed.player(for: 0)
        }
        driver.run(seconds: 0.1)
        #expect(player == nil)
    }
}

@Suite("Feed: view of a single clip")
struct VideoViewTests {
    private func makeView(_ driver: ManualDriver) -> (VideoView, ProbeSink) {
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let view = VideoView(configuration: configuration, posters: PosterCache())
        let sink = ProbeSink()
        view.add(sink)
        return (view, sink)
    }

    @Test("The release of a former handler of a view or a layer may set another one")
    func formerHandlers() {
        final class Owner: Sendable {
            private let end: @Sendable () -> Void
            init(_ end: @escaping @Sendable () -> Void) { self.end = end }
            deinit { end() }
        }
        let (view, _) = makeView(ManualDriver(settlesByItself: true))
        let (layer, ends) = (FeedLayer(), Locked(0))
        do {
            let owner = Owner {
                view.setEndHandler(nil)
                ends.withLock { $0 += 1 }
            }
            view.setEndHandler { withExtendedLifetime(owner) {} }
        }
        do {
            let owner = Owner {
                layer.setContentHandler(nil)
                ends.withLock { $0 += 1 }
            }
            layer.setContentHandler { _ in withExtendedLifetime(owner) {} }
        }
        view.setEndHandler(nil)
        layer.setContentHandler(nil)
        #expect(ends.withLock { $0 } == 2)
    }

    @Test(
        "The view loops or plays once, replaces its clip, and releases everything without a clip",
        .enabled(if: Fixture.areThere)
    )
    func clips() {
        let driver = ManualDriver(settlesByItself: true)
        let (view, sink) = makeView(driver)
        sink.seen.withLock { $0.expected = 15360 }
        view.url = Fixture.url("clip-h264-aac.mp4")
        driver.run(seconds: 4)
        #expect(view.content == .video && view.player?.isMuted == true)
        #expect(sink.seen.withLock { $0.frames.count } > 110)
        sink.seen.withLock { seen in
            seen.expected = 600
            seen.frames = []
        }
        view.repeatMode = .once
        view.url = Fixture.url("vfr.mp4")
        driver.run(seconds: 5)
        #expect(view.player?.rate == 0)
        #expect(sink.seen.withLock { Set($0.frames).count } == 72)
        view.isPlaying = false
        view.isPlaying = true
        driver.run(seconds: 1)
        #expect(view.player?.rate == 1)
        view.url = nil
        driver.run(seconds: 0.1)
        #expect(view.player == nil && view.content == .nothing)
        #expect(sink.seen.withLock { $0.foreignFrames } == 0)
    }

    @Test("A clip that does not exist releases everything and reports its error")
    func failure() {
        let driver = ManualDriver(settlesByItself: true)
        let (view, _) = makeView(driver)
        view.url = URL(fileURLWithPath: "/nowhere.mp4")
        driver.run(seconds: 0.1)
        #expect(view.player == nil && view.error?.code == .notFound)
    }

    @Test("The view shares the given budget, and waits when it is exhausted")
    func budget() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.clip(), driver: driver)
        let budget = PlaybackBudget()
        let views = (0..<2).map { _ in
            VideoView(
                configuration: Player.Configuration(driver: driver, backend: backend),
                posters: PosterCache(),
                budget: budget
            )
        }
        for view in views {
            view.url = backend.add()
            driver.run(seconds: 0.2)
        }
        #expect(budget.usage.players == 2 && budget.usage.openPlayers == 2)
        budget.limits.openPlayers = 1
        driver.run(seconds: 0.1)
        #expect(budget.usage.openPlayers == 1 && budget.usage.suspendedPlayers == 1)
        #expect(views.map { $0.player?.currentItem != nil } == [true, false])
        views[0].url = nil
        driver.run(seconds: 0.2)
        #expect(views[1].player?.timeControlStatus == .playing && budget.usage.suspendedPlayers == 0)
        withExtendedLifetime(views) {}
    }
}
