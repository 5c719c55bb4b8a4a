import Foundation
import Playhead
import PlayheadFeed

/// A list of numbered cells in a viewport of 300x600 points, and a core that is told of it.
struct CoreScene {
    var core: FeedCore<Int>
    var now = HostTime.zero
    var cells: [FeedCell<Int>]
    var insets = FeedInsets()
    var size = CGSize(width: 300, height: 600)
    private(set) var y = 0.0

    var plan: FeedPlan<Int> { core.plan }
    var changes: [FeedChange<Int>] { core.changes }
    var playing: [Int] { core.plan.playing }

    /// Cells below one another, all of `height`.
    init(_ count: Int = 20, height: Double = 400, configure: (inout FeedSettings) -> Void = { _ in }) {
        var settings = FeedSettings()
        configure(&settings)
        core = FeedCore(settings)
        cells = Self.column(Array(0..<count), height: height)
        show(at: 0)
        tell(.cells(cells))
    }

    static func column(_ ids: [Int], height: Double) -> [FeedCell<Int>] {
        ids.enumerated().map { place, id in
            FeedCell(id, frame: CGRect(x: 0, y: Double(place) * height, width: 300, height: height))
        }
    }

    private var viewport: FeedViewport {
        FeedViewport(CGRect(x: 0, y: y, width: size.width, height: size.height), insets: insets)
    }

    mutating func tell(_ event: FeedEvent<Int>) { core.handle(event, at: now) }

    mutating func pass(_ seconds: Double) {
        now = now.advanced(by: Int64(seconds * 1e9))
        tell(.time)
    }

    /// Without scrolling.
    mutating func show(at y: Double) {
        self.y = y
        tell(.viewport(viewport))
    }

    mutating func drag(to y: Double, velocity: Double? = nil) {
        self.y = y
        tell(.scroll(viewport, velocity: velocity, .dragging))
    }

    /// Drags there, lets go, and waits until it counts.
    mutating func settle(at y: Double) {
        drag(to: y)
        tell(.scroll(viewport, velocity: 0, .settled))
        pass(core.settings.settlingTime)
    }

    /// What plays has begun and has all it needs.
    mutating func start() {
        for id in playing {
            tell(.started(id))
            tell(.buffered(id, seconds: 10, isFull: false))
        }
    }

    mutating func reload(_ ids: [Int], height: Double = 400) {
        cells = Self.column(ids, height: height)
        tell(.cells(cells))
    }
}
