import Foundation

/// The cells of a list, indexed so that visible cells are found in logarithmic time.
struct CellTable<ID: Hashable & Sendable>: Sendable {
    /// The cells in list order. If several cells have the same identity, only the first is kept.
    private(set) var cells: [FeedCell<ID>] = []
    private(set) var indices: [ID: Int] = [:]
    /// Whether the list is wider than it is high.
    private(set) var isHorizontal = false
    /// The cells ordered by their start on the long axis. `maximumEnds` holds, for each of them, the largest end of any
    /// cell up to it.
    private var sorted: [(start: Double, cellIndex: Int)] = []
    private var maximumEnds: [Double] = []

    init() {}

    init(_ newCells: [FeedCell<ID>]) {
        for cell in newCells where indices[cell.id] == nil {
            indices[cell.id] = cells.count
            cells.append(cell)
        }
        guard let first = cells.first?.frame else { return }
        let hull = cells.dropFirst().reduce(first) { $0.union($1.frame) }
        isHorizontal = hull.width > hull.height
        sorted = cells.indices.map { (start(of: cells[$0].frame), $0) }.filter { $0.0.isFinite }
            .sorted { $0 < $1 }
        var end = -Double.infinity
        for entry in sorted {
            end = max(end, self.end(of: cells[entry.cellIndex].frame))
            maximumEnds.append(end)
        }
    }

    subscript(id: ID) -> FeedCell<ID>? { indices[id].map { cells[$0] } }

    private func start(of frame: CGRect) -> Double { isHorizontal ? frame.minX : frame.minY }
    private func end(of frame: CGRect) -> Double { isHorizontal ? frame.maxX : frame.maxY }

    /// Returns the indices of all cells that are at least partly visible, in list order.
    func visible(in viewport: FeedViewport) -> [Int] {
        let seen = viewport.visible
        let (low, high) = (start(of: seen), end(of: seen))
        var result: [Int] = []
        var index = maximumEnds.partition { $0 > low }
        while index < sorted.count, sorted[index].start < high {
            let cellIndex = sorted[index].cellIndex
            if viewport.share(of: cells[cellIndex].frame) > 0 { result.append(cellIndex) }
            index += 1
        }
        return result.sorted()
    }
}

extension [Double] {
    /// Returns the first index whose element satisfies `condition`, which must hold for all elements after the first
    /// match.
    fileprivate func partition(_ condition: (Double) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
