import Foundation
import Playhead
import PlayheadFeed

/// A reference implementation of a feed. It computes each decision from all cells, and keeps no state except the chosen
/// cells and the time of the last movement. It is written to be obviously correct.
struct NaiveFeed {
    var settings = FeedSettings()
    var cells: [FeedCell<Int>] = [] {
        didSet {
            edges = cells.map { ($0.frame.minY, $0.frame.maxY) }
            listed = Set(cells.map(\.id))
        }
    }
    private var edges: [(top: Double, bottom: Double)] = []
    private(set) var listed: Set<Int> = []
    var visibleRect = CGRect.zero
    private(set) var isMovingBackward = false
    private var furthest = 0.0
    var lastMoved: Int64?
    var isSlow = false
    var chosen: [Int] = []
    var paused: Set<Int> = []
    var failed: Set<Int> = []
    var ended: Set<Int> = []
    var isHidden = false

    func share(_ frame: CGRect) -> Double {
        let part = frame.intersection(visibleRect)
        let whole = min(frame.width, visibleRect.width) * min(frame.height, visibleRect.height)
        return part.isNull || whole <= 0 ? 0 : part.width * part.height / whole
    }

    /// Follows a scroll step, or a jump if there is no phase. The direction changes with a velocity, or after ten points.
    mutating func travel(to y: Double, velocity: Double?, isScroll: Bool) {
        let back = (furthest - y) * (isMovingBackward ? -1 : 1)
        if isScroll, let velocity, abs(velocity) >= 20 {
            isMovingBackward = velocity < 0
        } else if isScroll, back >= 10 {
            isMovingBackward.toggle()
        } else if isScroll, back > 0 {
            return
        }
        furthest = y
    }

    /// The indices of the cells that are at least partly visible. All cells are examined.
    private(set) var inView: [Int] = []

    mutating func decide(now: Int64) {
        if let moved = lastMoved, now - moved >= Int64(settings.settlingTime / .nanoseconds(1)) {
            lastMoved = nil
        }
        let (top, bottom) = (visibleRect.minY, visibleRect.maxY)
        // A loop is used instead of a filter, because a thousand cells per step take most of the test's time.
        var near: [Int] = []
        edges.withUnsafeBufferPointer { edges in
            var index = 0
            while index < edges.count {
                if edges[index].top < bottom && edges[index].bottom > top { near.append(index) }
                index += 1
            }
        }
        inView = near.filter { share(cells[$0].frame) > 0 }
        var candidates: [(index: Int, id: Int, share: Double)] = []
        for index in inView where cells[index].kind == .clip {
            let cell = cells[index]
            let share = share(cell.frame)
            let isIn: Bool
            switch settings.rule {
            case .mostVisible(let least), .first(let least), .all(let least, _):
                isIn = share >= least - 1e-6
            case .atPoint(let x, let y):
                let point = CGPoint(
                    x: visibleRect.minX + x * visibleRect.width,
                    y: visibleRect.minY + y * visibleRect.height
                )
                isIn = cell.frame.contains(point)
            }
            if isIn { candidates.append((index, cell.id, share)) }
        }
        if lastMoved == nil || isSlow {
            switch settings.rule {
            case .mostVisible:
                let most = candidates.map(\.share).max() ?? 0
                chosen = candidates.filter { $0.share > most - 1e-6 }.prefix(1).map(\.id)
            case .first, .atPoint: chosen = candidates.prefix(1).map(\.id)
            case .all(_, let count): chosen = candidates.prefix(count).map(\.id)
            }
        } else {
            chosen = chosen.filter { id in candidates.contains { $0.id == id } }
        }
        let visible = Set(inView.map { cells[$0].id })
        failed.formIntersection(visible)
        ended.formIntersection(visible)
    }

    var playing: [Int] {
        isHidden ? [] : chosen.filter { !paused.contains($0) && !failed.contains($0) && !ended.contains($0) }
    }

    /// The next clips in the direction of travel, regardless of whether anything may be loaded.
    var upcoming: [Int] {
        let isChosen = { (index: Int) in chosen.contains(cells[index].id) }
        let step = isMovingBackward ? -1 : 1
        let ends = isMovingBackward ? inView.reversed() : inView
        guard var index = ends.last(where: isChosen).map({ $0 + step }) ?? ends.first else { return [] }
        var next: [Int] = []
        var failedCount = 0
        while cells.indices.contains(index), next.count < settings.readyCount,
            failedCount <= settings.readyCount
        {
            if failed.contains(cells[index].id) {
                failedCount += 1
            } else if cells[index].kind == .clip {
                next.append(cells[index].id)
            }
            index += step
        }
        return next
    }
}
