import Foundation
import Playhead
import PlayheadFeed
import PlayheadTesting
import Testing

@Suite("Feed: endless carousels")
struct CarouselTests {
    private let second = HostTime(nanoseconds: 1_000_000_000)

    @Test("Positions are unbounded and pages repeat; each page lies once, where it is nearest to the view")
    func wraps() {
        var core = CarouselCore([.clip, .picture(seconds: 1), .clip])
        let rows: [(Double, Int)] = [
            (0, 0), (1, 1), (2.4, 2), (2.6, 0), (3, 0), (-1, 2), (-3, 0), (-4, 2), (3001, 1),
        ]
        for (position, index) in rows {
            core.move(to: position, isDragging: true, at: .zero)
            #expect(core.index == index, "\(position)")
            #expect(core.cells.map(\.id) == [0, 1, 2])
            let shown = core.cells.max {
                core.viewport.share(of: $0.frame) < core.viewport.share(of: $1.frame)
            }
            #expect(shown?.id == index)
        }
        for position in [Double.nan, .infinity] { core.move(to: position, isDragging: true, at: .zero) }
        #expect(core.position == 3001)
        core.move(to: 1e12 + 1, isDragging: false, at: .zero)
        #expect(core.position < 3 && CarouselCore([]).index == 0 && CarouselCore([]).cells.isEmpty)
    }

    @Test("With one or two pages, each page has one cell")
    func few() {
        for count in 1...2 {
            var core = CarouselCore(Array(repeating: .clip, count: count))
            for position in stride(from: -3.0, through: 3, by: 0.25) {
                core.move(to: position, isDragging: true, at: .zero)
                #expect(core.cells.count == count)
                let shown = core.cells.map { core.viewport.share(of: $0.frame) }
                #expect(shown.max() ?? 0 >= 0.5)
            }
        }
    }

    @Test("A picture advances when its time has passed, but not while it is dragged or off screen")
    func pictures() {
        var core = CarouselCore([.picture(seconds: 1), .clip])
        #expect(core.turn(at: second) == nil)
        core.move(to: 0, isDragging: false, at: .zero)
        #expect(core.nextTurn == second && core.turn(at: second) == 1)
        core.move(to: 0.2, isDragging: true, at: .zero)
        #expect(core.nextTurn == nil && core.turn(at: second) == nil)
        core.move(to: 0, isDragging: false, at: second)
        core.setOnScreen(false, at: second)
        #expect(core.nextTurn == nil)
        core.setOnScreen(true, at: second)
        #expect(core.nextTurn == second.advanced(by: 1_000_000_000))
        core.move(to: 1, isDragging: false, at: second)
        #expect(core.nextTurn == nil && core.turn(afterEndOf: 1) == 2 && core.turn(afterEndOf: 0) == nil)
    }

    @Test("Pages that are replaced during a drag do not end it, and a clip that is replaced has not ended")
    func setPagesWhileDragged() {
        var core = CarouselCore([.picture(seconds: 1), .clip])
        core.move(to: 0.2, isDragging: true, at: .zero)
        for pages in [[.picture(seconds: 1), .clip, .clip], [.clip, .clip]] as [[FeedKind]] {
            core.setPages(pages, at: .zero)
            #expect(core.isDragging && core.nextTurn == nil && core.position == 0)
        }
        #expect(core.turn(afterEndOf: 0) == nil)
        core.retry(0)
        core.move(to: 0, isDragging: false, at: second)
        #expect(core.nextTurn == nil && core.turn(afterEndOf: 0) == 1)
    }

    @Test("A clip that ends while it is dragged advances when dragging ends")
    func held() {
        let driver = ManualDriver(settlesByItself: true)
        let banner = makeBanner(driver, [.clip, .clip])
        driver.run(seconds: 1)
        banner.drag(to: 0.2)
        driver.run(seconds: 3)
        #expect(banner.position == 0.2)
        banner.settle(at: 0)
        driver.run(seconds: 0.1)
        #expect(banner.position == 1 && banner.feed.plan.playing == [1])
    }

    @Test("A carousel that is dragged at once after its creation does not advance")
    func draggedAtOnce() {
        let driver = ManualDriver()
        let banner = makeBanner(driver, [.picture(seconds: 1), .clip])
        banner.drag(to: 0.2)
        driver.run(seconds: 3)
        #expect(banner.position == 0.2)
        banner.settle(at: 0)
        driver.run(seconds: 1.5)
        #expect(banner.position == 1)
    }

    @Test("Pictures are shown for a tenth of a second at least, whatever their time is")
    func shortestTime() {
        for seconds in [0, -1, 0.05, .nan, -.infinity] {
            let driver = ManualDriver(settlesByItself: true)
            let banner = makeBanner(driver, [.picture(seconds: seconds), .picture(seconds: seconds)])
            let turns = Locked(0)
            banner.setTurnHandler { _ in turns.withLock { $0 += 1 } }
            driver.run(seconds: 1.05)
            #expect(turns.withLock { $0 } == 10, "\(seconds)")
        }
    }

    @Test(
        "A page whose clip fails is shown for half a second; the carousel goes on and tries the clip again",
        arguments: [.openFails(.notFound), .lost(fromPacket: 20)] as [ScriptedMedia.Fault]
    )
    func brokenPage(fault: ScriptedMedia.Fault) {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let urls = [backend.add(), backend.add(.silentClip([fault]))]
        let banner = CarouselPlayer(
            pages: [.clip, .clip, .picture(seconds: 1)],
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { $0 < 2 ? backend.makeAsset(at: urls[$0]) : nil }
        let indices = Locked<[Int]>([])
        let failures = Locked<[Int]>([])
        banner.setIndexHandler { index in indices.withLock { $0.append(index) } }
        banner.feed.setFailureHandler { id, _ in failures.withLock { $0.append(id) } }
        driver.run(seconds: 9)
        #expect(indices.withLock { $0.prefix(6) } == [1, 2, 0, 1, 2, 0])
        #expect(failures.withLock { Set($0) } == [1])
        let count = failures.withLock { $0.count }
        backend[urls[1]]?.faults = []
        driver.run(seconds: 10)
        #expect(failures.withLock { $0.count } == count && banner.feed.error(of: 1) == nil)
    }

    @Test("A failed page that is tried again is not turned away")
    func retriedPage() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let urls = [backend.add(.silentClip([.openFails(.notFound)])), backend.add()]
        let banner = CarouselPlayer(
            pages: [.clip, .clip],
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { backend.makeAsset(at: urls[$0]) }
        banner.setInBackground(true)
        driver.run(seconds: 2)
        backend[urls[0]]?.faults = []
        banner.feed.retry(0)
        banner.setInBackground(false)
        driver.run(seconds: 1.8)
        #expect(banner.index == 0 && banner.feed.plan.playing == [0])
        driver.run(seconds: 0.4)
        #expect(banner.index == 1)
    }

    @Test("A carousel of broken pages rests half a second on each")
    func allBroken() {
        let driver = ManualDriver(settlesByItself: true)
        let backend = ScriptedBackend(.silentClip([.openFails(.notFound)]), driver: driver)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let url = backend.add()
        let banner = CarouselPlayer(
            pages: [.clip, .clip, .clip],
            configuration: configuration,
            posters: PosterCache(),
            budget: PlaybackBudget()
        ) { $0 == 2 ? nil : backend.makeAsset(at: url) }
        let turns = Locked(0)
        banner.setTurnHandler { _ in turns.withLock { $0 += 1 } }
        driver.run(seconds: 10)
        #expect((19...20).contains(turns.withLock { $0 }))
    }

    @Test(
        "Nothing advances in the background, not even pictures, also if the feed is told",
        arguments: [false, true]
    )
    func background(throughFeed: Bool) {
        let driver = ManualDriver(settlesByItself: true)
        let banner = makeBanner(driver, [.picture(seconds: 1), .clip])
        func setInBackground(_ isInBackground: Bool) {
            throughFeed ? banner.feed.setInBackground(isInBackground) : banner.setInBackground(isInBackground)
        }
        driver.run(seconds: 0.5)
        setInBackground(true)
        driver.run(seconds: 5)
        #expect(banner.position == 0)
        setInBackground(false)
        driver.run(seconds: 0.9)
        #expect(banner.position == 0)
        driver.run(seconds: 0.2)
        #expect(banner.position == 1)
        setInBackground(true)
        driver.run(seconds: 5)
        #expect(banner.position == 1 && banner.feed.plan.playing == [])
        // Being on screen and being in the foreground are independent.
        throughFeed ? banner.feed.setOnScreen(false) : banner.setOnScreen(false)
        setInBackground(false)
        driver.run(seconds: 5)
        #expect(banner.position == 1)
        throughFeed ? banner.feed.setOnScreen(true) : banner.setOnScreen(true)
        driver.run(seconds: 2.1)
        #expect(banner.position == 2)
    }

    @Test("Pages can be replaced; those that stay the same keep their players")
    func setPages() {
        let driver = ManualDriver(settlesByItself: true)
        let banner = makeBanner(driver, [.clip, .clip, .clip])
        driver.run(seconds: 0.5)
        let player = banner.feed.player(for: 0)
        banner.setPages([.clip, .picture(seconds: 1)], reloading: [1])
        driver.run(seconds: 0.5)
        #expect(banner.feed.player(for: 0) === player && player?.rate == 1)
        banner.jump(to: 1)
        driver.run(seconds: 1.1)
        #expect(banner.index == 0)
        banner.setPages([.clip])
        driver.run(seconds: 5)
        #expect(banner.index == 0 && banner.feed.plan.playing == [0])
        banner.setPages([])
        driver.run(seconds: 1)
        #expect(banner.index == 0 && banner.feed.plan.entries == [])
    }

    @Test("Pages that are set while others are being set decide whether the clip of a single page repeats")
    func setPagesMeanwhile() throws {
        let driver = ManualDriver(settlesByItself: true)
        let banner = makeBanner(driver, [.clip, .clip, .clip])
        driver.run(seconds: 0.5)
        let player = try #require(banner.feed.player(for: 0))
        let isFirst = Locked(true)
        // The observer is called within the call, and sets pages as another thread might.
        let token = player.observe(\.repeatMode) { [weak banner] _, _ in
            let wasFirst = isFirst.withLock { value in
                defer { value = false }
                return value
            }
            if wasFirst { banner?.setPages([.clip, .clip, .clip], reloading: []) }
        }
        banner.setPages([.clip], reloading: [])
        driver.run(seconds: 7)
        let index = banner.index
        #expect(banner.feed.plan.playing == [index] && banner.feed.player(for: index)?.rate == 1)
        withExtendedLifetime(token) {}
    }

    private func makeBanner(
        _ driver: ManualDriver,
        _ pages: [FeedKind],
        budget: PlaybackBudget = PlaybackBudget()
    ) -> CarouselPlayer {
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        let urls = pages.indices.map { _ in backend.add() }
        return CarouselPlayer(
            pages: pages,
            configuration: configuration,
            posters: PosterCache(),
            budget: budget
        ) { page in
            backend.makeAsset(at: urls[page])
        }
    }

    @Test(
        "The carousel advances by itself: after a clip's end, after a picture's time, and past the last page"
    )
    func turns() {
        let driver = ManualDriver(settlesByItself: true)
        let banner = makeBanner(driver, [.clip, .picture(seconds: 3), .clip])
        let turns = Locked<[String]>([])
        banner.setTurnHandler { position in
            turns.withLock { $0.append("\(position) at \(Double(driver.now.nanoseconds) / 1e9)") }
        }
        driver.run(seconds: 10)
        #expect(turns.withLock { $0 } == ["1.0 at 2.0", "2.0 at 5.0", "3.0 at 7.0", "4.0 at 9.0"])
        #expect(banner.index == 1 && banner.position == 4)
    }

    @Test(
        "A jump to the page that is shown, also past the ends, keeps its clip playing with its player"
    )
    func jumps() {
        let driver = ManualDriver(settlesByItself: true)
        let banner = makeBanner(driver, [.clip, .clip, .clip])
        driver.run(seconds: 1)
        let player = banner.feed.player(for: 0)
        #expect(player?.rate == 1)
        banner.jump(to: 0)
        // An application that returns to the middle of its page copies does the same.
        banner.settle(at: 300)
        #expect(banner.feed.player(for: 0) === player && player?.rate == 1)
        driver.run(seconds: 0.5)
        #expect(player?.currentTime() == .ms(1500))
        banner.jump(to: 2)
        #expect(banner.position == 299 && banner.feed.plan.playing == [2])
    }

    @Test("A change that is made while another one is applied decides whether the carousel advances")
    func nestedChange() {
        let driver = ManualDriver(settlesByItself: true)
        let banner = makeBanner(driver, [.picture(seconds: 1), .picture(seconds: 1)])
        // The handler is called while the drag is applied. The page rests from then on.
        banner.setIndexHandler { [weak banner] _ in
            if let banner { banner.settle(at: banner.position) }
        }
        banner.drag(to: 0.6)
        #expect(banner.position == 1)
        driver.run(seconds: 1.5)
        #expect(banner.position == 2)
        // The other way round: a page that comes to rest is taken up again at once, and stays.
        banner.setIndexHandler { [weak banner] _ in banner?.drag(to: 3.1) }
        banner.settle(at: 3)
        driver.run(seconds: 5)
        #expect(banner.position == 3.1)
    }

    @Test("A single page repeats")
    func single() {
        let driver = ManualDriver(settlesByItself: true)
        let banner = makeBanner(driver, [.clip])
        driver.run(seconds: 7)
        #expect(banner.feed.player(for: 0)?.rate == 1 && banner.position == 0)
    }

    @Test("The players share the given budget, and the page that is shown has priority")
    func budget() {
        let driver = ManualDriver(settlesByItself: true)
        let budget = PlaybackBudget()
        let banner = makeBanner(driver, [.clip, .clip, .clip], budget: budget)
        driver.run(seconds: 0.5)
        #expect(budget.usage.players == banner.feed.playerCount && budget.usage.openPlayers > 1)
        budget.limits.openPlayers = 1
        driver.run(seconds: 0.1)
        #expect(budget.usage.openPlayers == 1 && banner.feed.player(for: 0)?.rate == 1)
        banner.jump(to: 1)
        driver.run(seconds: 0.5)
        #expect(budget.usage.openPlayers == 1)
        #expect(banner.feed.player(for: 1)?.timeControlStatus == .playing)
    }
}
