import Foundation
import Playhead
import PlayheadFeed

/// A list of numbered cells in a viewport of 300x600 points, and a core that receives its events.
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

    /// Creates a column of cells with the same height.
    init(_ count: Int = 20, height: Double = 400, configure: (inout FeedSettings) -> Void = { _ in }) {
        var settings = FeedSettings()
        configure(&settings)
        core = FeedCore(settings)
        cells = Self.column(Array(0..<count), height: height)
        show(at: 0)
        send(.cells(cells))
    }

    static func column(_ ids: [Int], height: Double) -> [FeedCell<Int>] {
        ids.enumerated().map { index, id in
            FeedCell(id, frame: CGRect(x: 0, y: Double(index) * height, width: 300, height: height))
        }
    }

    private var viewport: FeedViewport {
        FeedViewport(CGRect(x: 0, y: y, width: size.width, height: size.height), insets: insets)
    }

    mutating func send(_ event: FeedEvent<Int>) { core.handle(event, at: now) }

    mutating func pass(_ seconds: Double) {
        now = now.advanced(by: Int64(seconds * 1e9))
        send(.time)
    }

    /// Moves the viewport without scrolling.
    mutating func show(at y: Double) {
        self.y = y
        send(.viewport(viewport))
    }

    mutating func drag(to y: Double, velocity: Double? = nil) {
        self.y = y
        send(.scroll(viewport, velocity: velocity, .dragging))
    }

    /// Drags to a position, releases the list, and waits until it has settled.
    mutating func settle(at y: Double) {
        drag(to: y)
        send(.scroll(viewport, velocity: 0, .settled))
        pass(core.settings.settlingTime / .seconds(1))
    }

    /// Reports that the playing clips have started and have buffered enough.
    mutating func start() {
        for id in playing {
            send(.started(id))
            send(.buffered(id, seconds: 10, isFull: false))
        }
    }

    mutating func reload(_ ids: [Int], height: Double = 400) {
        cells = Self.column(ids, height: height)
        send(.cells(cells))
    }
}
