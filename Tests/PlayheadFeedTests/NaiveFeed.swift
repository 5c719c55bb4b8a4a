import Foundation
import Playhead
import PlayheadFeed

/// What a feed is to decide, worked out anew each time from all cells, without any memory but who was chosen and when
/// it moved: written to be seen to be right, to hold the core to.
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
    var seen = CGRect.zero
    var goesBack = false
    var movedAt: Int64?
    var isSlow = false
    var chosen: [Int] = []
    var paused: Set<Int> = []
    var failed: Set<Int> = []
    var ended: Set<Int> = []
    var isHidden = false

    func share(_ frame: CGRect) -> Double {
        let part = frame.intersection(seen)
        let whole = min(frame.width, seen.width) * min(frame.height, seen.height)
        return part.isNull || whole <= 0 ? 0 : part.width * part.height / whole
    }

    /// Places of the cells of which anything is in view: all cells are looked at.
    private(set) var inView: [Int] = []

    mutating func decide(now: Int64) {
        if let moved = movedAt, now - moved >= Int64(settings.settlingTime * 1e9) { movedAt = nil }
        let (top, bottom) = (seen.minY, seen.maxY)
        // A loop, and not a filter: a thousand cells a step take most of a test's time.
        var near: [Int] = []
        edges.withUnsafeBufferPointer { edges in
            var place = 0
            while place < edges.count {
                if edges[place].top < bottom && edges[place].bottom > top { near.append(place) }
                place += 1
            }
        }
        inView = near.filter { share(cells[$0].frame) > 0 }
        var candidates: [(place: Int, id: Int, share: Double)] = []
        for place in inView where cells[place].kind == .clip {
            let cell = cells[place]
            let share = share(cell.frame)
            let isIn: Bool
            switch settings.rule {
            case .mostVisible(let least), .first(let least), .all(let least, _):
                isIn = share >= least - 1e-6
            case .atPoint(let x, let y):
                let point = CGPoint(x: seen.minX + x * seen.width, y: seen.minY + y * seen.height)
                isIn = cell.frame.contains(point)
            }
            if isIn { candidates.append((place, cell.id, share)) }
        }
        if movedAt == nil || isSlow {
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

    /// The next clips in the direction of travel, where anything may be loaded at all.
    var upcoming: [Int] {
        let isChosen = { (place: Int) in chosen.contains(cells[place].id) }
        let step = goesBack ? -1 : 1
        let ends = goesBack ? inView.reversed() : inView
        guard var place = ends.last(where: isChosen).map({ $0 + step }) ?? ends.first else { return [] }
        var next: [Int] = []
        while cells.indices.contains(place), next.count < settings.readyCount {
            if cells[place].kind == .clip, !failed.contains(cells[place].id) { next.append(cells[place].id) }
            place += step
        }
        return next
    }
}
