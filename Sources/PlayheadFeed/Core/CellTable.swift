import Foundation

/// The cells of a list, with a quick answer to which of them may be in view.
struct CellTable<ID: Hashable & Sendable>: Sendable {
    /// In the order of the list. Of cells with the same identity the first one counts.
    private(set) var cells: [FeedCell<ID>] = []
    private(set) var places: [ID: Int] = [:]
    /// True where the list is longer from left to right.
    private(set) var isHorizontal = false
    /// Places by where their cells begin on the long side; beside them, the furthest end up to there.
    private var sorted: [(start: Double, place: Int)] = []
    private var furthest: [Double] = []

    init() {}

    init(_ all: [FeedCell<ID>]) {
        for cell in all where places[cell.id] == nil {
            places[cell.id] = cells.count
            cells.append(cell)
        }
        guard let first = cells.first?.frame else { return }
        let hull = cells.dropFirst().reduce(first) { $0.union($1.frame) }
        isHorizontal = hull.width > hull.height
        sorted = cells.indices.map { (start(of: cells[$0].frame), $0) }.filter { $0.0.isFinite }
            .sorted { $0 < $1 }
        var end = -Double.infinity
        for entry in sorted {
            end = max(end, self.end(of: cells[entry.place].frame))
            furthest.append(end)
        }
    }

    subscript(id: ID) -> FeedCell<ID>? { places[id].map { cells[$0] } }

    private func start(of frame: CGRect) -> Double { isHorizontal ? frame.minX : frame.minY }
    private func end(of frame: CGRect) -> Double { isHorizontal ? frame.maxX : frame.maxY }

    /// Places of the cells of which something is in view, in the order of the list.
    func visible(in viewport: FeedViewport) -> [Int] {
        let seen = viewport.visible
        let (low, high) = (start(of: seen), end(of: seen))
        var result: [Int] = []
        var index = furthest.partition { $0 > low }
        while index < sorted.count, sorted[index].start < high {
            let place = sorted[index].place
            if viewport.share(of: cells[place].frame) > 0 { result.append(place) }
            index += 1
        }
        return result.sorted()
    }
}

extension [Double] {
    /// The first index for which `condition` holds, where it holds for all behind it.
    fileprivate func partition(_ condition: (Double) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
