import Foundation
import Playhead
import PlayheadFeed
import Testing

@Suite("Feed: choice by geometry")
struct RuleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rule: FeedRule
        /// The top and height of each cell.
        let cells: [(Double, Double)]
        let expected: [Int]
        var testDescription: String { "\(rule) \(cells)" }
    }

    /// The viewport is 300x600 at 1000.
    static let rows: [Row] = [
        // The share must reach the threshold; of equal shares the first wins.
        Row(rule: .mostVisible(atLeast: 0.5), cells: [(800, 400), (1300, 600)], expected: [0]),
        Row(rule: .mostVisible(atLeast: 0.5), cells: [(799, 400), (1199, 900)], expected: [1]),
        Row(rule: .mostVisible(atLeast: 0.5), cells: [(700, 400), (1100, 400), (1500, 400)], expected: [1]),
        Row(rule: .mostVisible(atLeast: 0.5), cells: [(1000, 300), (1300, 300)], expected: [0]),
        Row(rule: .mostVisible(atLeast: 0.5), cells: [(700, 450), (1450, 400)], expected: []),
        Row(rule: .mostVisible(atLeast: 0.2), cells: [(700, 450), (1450, 400)], expected: [1]),
        // A cell that is larger than the viewport is measured by the part that can be visible.
        Row(rule: .mostVisible(atLeast: 0.5), cells: [(0, 1250), (1250, 2000)], expected: [1]),
        Row(rule: .firstWhollyVisible, cells: [(900, 5000)], expected: [0]),
        Row(rule: .firstWhollyVisible, cells: [(1001, 5000)], expected: []),
        Row(rule: .firstWhollyVisible, cells: [(999, 200), (1199, 200), (1399, 200)], expected: [1]),
        Row(rule: .first(atLeast: 0.85), cells: [(970, 200), (1170, 200)], expected: [0]),
        Row(rule: .first(atLeast: 0.85), cells: [(969, 200), (1169, 200)], expected: [1]),
        Row(
            rule: .all(atLeast: 0, upTo: 2),
            cells: [(801, 200), (1001, 200), (1201, 200)],
            expected: [0, 1]
        ),
        Row(
            rule: .all(atLeast: 0.85, upTo: 4),
            cells: [(801, 200), (1001, 200), (1201, 200)],
            expected: [1, 2]
        ),
        Row(rule: .atPoint(x: 0.5, y: 0.5), cells: [(1000, 300), (1300, 300)], expected: [1]),
        Row(rule: .atPoint(x: 0.5, y: 0), cells: [(700, 300), (1000, 300)], expected: [1]),
        Row(rule: .atPoint(x: 0.5, y: 0.5), cells: [(1000, 100), (1500, 300)], expected: []),
        // No area, or not a number.
        Row(rule: .mostVisible(atLeast: 0), cells: [(1000, 0), (1200, .nan)], expected: []),
        Row(rule: .all(atLeast: 0, upTo: 9), cells: [(.infinity, 10), (1200, 0)], expected: []),
    ]

    @Test("Each rule chooses the expected cells", arguments: rows)
    func rules(row: Row) {
        var settings = FeedSettings()
        settings.rule = row.rule
        var core = FeedCore<Int>(settings)
        core.handle(.viewport(FeedViewport(CGRect(x: 0, y: 1000, width: 300, height: 600))), at: .zero)
        let cells = row.cells.enumerated().map { id, cell in
            FeedCell(id, frame: CGRect(x: 0, y: cell.0, width: 300, height: cell.1))
        }
        core.handle(.cells(cells), at: .zero)
        #expect(core.plan.chosen == row.expected)
        #expect(core.plan.playing == row.expected)
    }

    @Test("The part that a header covers is not visible")
    func insets() {
        var scene = CoreScene()
        scene.show(at: 180)
        #expect(scene.playing == [1])
        scene.insets.top = 40
        scene.show(at: 0)
        #expect(scene.playing == [0])
        // 380 of 400 points are below the top of the bounds, and 340 of them below the header.
        scene.core.settings.rule = .first(atLeast: 0.9)
        scene.show(at: 20)
        #expect(scene.playing == [])
        scene.insets.top = 0
        scene.show(at: 20)
        #expect(scene.playing == [0])
    }

    @Test("Pictures and other cells never play in a list and are not preloaded")
    func kinds() {
        var scene = CoreScene()
        scene.cells[0].kind = .picture(seconds: 3)
        scene.cells[2].kind = .other
        scene.send(.cells(scene.cells))
        #expect(scene.playing == [] || scene.playing == [1])
        scene.show(at: 300)
        scene.start()
        #expect(scene.playing == [1])
        #expect(scene.plan.ready == [3, 4])
    }

    @Test("Of two cells with the same identity, the first is used")
    func duplicates() {
        var scene = CoreScene()
        scene.reload([7, 7, 8])
        #expect(scene.playing == [7])
        scene.show(at: 400)
        #expect(scene.playing == [8])
    }
}

@Suite("Feed: cost of decisions")
struct DecisionCostTests {
    /// An identity that counts how often it is looked up.
    private struct CountedID: Hashable {
        static let lookups = Locked(0)
        let value: Int

        func hash(into hasher: inout Hasher) {
            Self.lookups.withLock { $0 += 1 }
            hasher.combine(value)
        }
    }

    @Test("A decision in a list of 10,000 cells does not examine those that are not clips")
    func longList() {
        for wraps in [false, true] {
            var settings = FeedSettings()
            settings.wraps = wraps
            var core = FeedCore<CountedID>(settings)
            let cells = (0..<10_000).map { index in
                FeedCell(
                    CountedID(value: index),
                    frame: CGRect(x: 0, y: Double(index) * 300, width: 300, height: 300),
                    kind: index == 0 ? .clip : .other
                )
            }
            let now = HostTime(nanoseconds: 0)
            core.handle(.viewport(FeedViewport(CGRect(x: 0, y: 0, width: 300, height: 600))), at: now)
            core.handle(.cells(cells), at: now)
            CountedID.lookups.withLock { $0 = 0 }
            core.handle(.time, at: now)
            #expect(core.plan.chosen.map(\.value) == [0])
            #expect(CountedID.lookups.withLock { $0 } < 100)
        }
    }
}

@Suite("Feed: time of decisions")
struct DecisionTimeTests {
    @Test("1. The first clip plays at once without scrolling, and so does the last at the end of the list")
    func firstAndLast() {
        var scene = CoreScene(5)
        #expect(scene.playing == [0] && scene.changes == [.play(0)])
        scene.settle(at: 5 * 400 - 600)
        #expect(scene.playing == [4])
        // A list that fits completely: both ends can play.
        var short = CoreScene(1, height: 100)
        #expect(short.playing == [0])
        short.reload([])
        #expect(short.playing == [] && short.changes == [.pause(0, []), .release(0, .removed)])
        short.reload([3])
        #expect(short.playing == [3])
    }

    @Test("1. A reload, an insertion, a removal, a jump and a resize cause a decision without a scroll")
    func withoutScroll() {
        var scene = CoreScene()
        scene.reload(Array(10..<20))
        #expect(scene.playing == [10])
        scene.reload([30] + Array(10..<20))
        #expect(scene.playing == [30])
        scene.reload(Array(11..<20))
        #expect(scene.playing == [11])
        scene.show(at: 2000)
        #expect(scene.playing == [16])
        scene.size = CGSize(width: 300, height: 100)
        scene.show(at: 2390)
        #expect(scene.playing == [17])
    }

    @Test("A clip that leaves pauses at once, and another is chosen when nothing has moved for 0.3 s")
    func settles() {
        var scene = CoreScene()
        scene.drag(to: 199)
        #expect(scene.playing == [0])
        scene.drag(to: 201)
        #expect(scene.playing == [] && scene.changes.first == .pause(0, []))
        scene.pass(0.2)
        scene.drag(to: 210)
        #expect(scene.plan.nextDecision == HostTime(nanoseconds: 500_000_000))
        scene.pass(0.29)
        #expect(scene.playing == [])
        scene.pass(0.02)
        #expect(scene.playing == [1] && scene.plan.nextDecision == nil)
    }

    @Test("3. A playing clip continues while scrolling as long as it satisfies the rule: never two at once")
    func halfScrolled() {
        var scene = CoreScene(20, height: 300)
        scene.drag(to: 140)
        #expect(scene.playing == [0])
        scene.pass(0.3)
        #expect(scene.playing == [1] && scene.changes == [.pause(0, []), .play(1)])
        for y in stride(from: 140.0, through: 3000, by: 7) {
            scene.drag(to: y)
            #expect(scene.playing.count <= 1 && scene.plan.playing.count <= 1)
        }
    }

    @Test("Scrolling below the slow speed counts as settled, fast deceleration does not")
    func slow() {
        var scene = CoreScene { $0.slowSpeed = 100 }
        scene.drag(to: 300, velocity: 800)
        #expect(scene.playing == [])
        scene.drag(to: 310, velocity: 99)
        #expect(scene.playing == [1])
        scene.drag(to: 4000, velocity: nil)
        #expect(scene.playing == [])
    }

    @Test("11. Threshold and settling time are settings; without a settling time the feed decides at once")
    func settings() {
        var scene = CoreScene {
            $0.settlingTime = .zero
            $0.rule = .mostVisible(atLeast: 0.2)
        }
        scene.drag(to: 300)
        #expect(scene.playing == [1])
        scene.core.settings.rule = .first(atLeast: 0.2)
        scene.send(.time)
        #expect(scene.playing == [0])
    }

    @Test("A jump ends scrolling, and the visible clip plays at once")
    func jump() {
        var scene = CoreScene()
        scene.drag(to: 300)
        scene.show(at: 4000)
        #expect(scene.playing == [10])
    }

    @Test(
        "Any number is taken for a count, a time and a share",
        arguments: [.min, -1, 0, .max] as [Int],
        [-.infinity, 0, 1e300, .nan]
    )
    func extremes(count: Int, number: Double) {
        for rule in [
            FeedRule.all(atLeast: number, upTo: count), .mostVisible(atLeast: number),
            .atPoint(x: number, y: number),
        ] {
            var scene = CoreScene {
                ($0.rule, $0.readyCount, $0.settlingTime) = (rule, count, .seconds(count))
                ($0.slowSpeed, $0.secondsAhead, $0.wraps) = (number, number, true)
            }
            #expect(scene.core.settings.poolSize >= 1)
            scene.drag(to: 300, velocity: number)
            scene.show(at: 4000)
            scene.send(.time)
        }
        var carousel = CarouselCore([.picture(seconds: number), .clip])
        carousel.move(to: number, isDragging: false, at: .zero)
        carousel.jump(to: count, at: .zero)
        #expect((0..<2).contains(carousel.index) && (0..<2).contains(carousel.page(at: number)))
        _ = (carousel.nextTurn, carousel.turn(at: .distantFuture), carousel.cells)
    }
}
