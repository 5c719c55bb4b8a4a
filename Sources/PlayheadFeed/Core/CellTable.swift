import Foundation

/// The cells of a list, indexed so that visible cells are found in logarithmic time.
struct CellTable<ID: Hashable & Sendable>: Sendable {
    /// The cells in list order. If several cells have the same identity, only the first is kept.
    private(set) var cells: [FeedCell<ID>] = []
    private(set) var indices: [ID: Int] = [:]
    /// The indices of the cells that are clips, in list order.
    private(set) var clips: [Int] = []
    /// The axis that was requested, or nil if it is derived from the cells.
    let axis: FeedAxis?
    /// Whether the first cell follows the last one. The positions of such cells do not tell the order of the list.
    let wraps: Bool
    private(set) var isHorizontal = false
    /// Whether the last cell lies before the first one on the axis, as in strips that read from right to left and in
    /// chats that grow upward.
    private(set) var isReversed = false
    /// The cells ordered by their start on the axis. `maximumEnds` holds, for each of them, the largest end of any
    /// cell up to it.
    private var sorted: [(start: Double, cellIndex: Int)] = []
    private var maximumEnds: [Double] = []

    init(_ newCells: [FeedCell<ID>] = [], axis: FeedAxis? = nil, wraps: Bool = false) {
        self.axis = axis
        self.wraps = wraps
        for cell in newCells where indices[cell.id] == nil {
            indices[cell.id] = cells.count
            if cell.kind == .clip { clips.append(cells.count) }
            cells.append(cell)
        }
        let located = cells.lazy.map(\.frame).filter { $0.minX.isFinite && $0.minY.isFinite }
        guard let first = located.first, let last = located.last else { return }
        let (minX, maxX) = located.reduce((first.minX, first.minX)) {
            (min($0.0, $1.minX), max($0.1, $1.minX))
        }
        let (minY, maxY) = located.reduce((first.minY, first.minY)) {
            (min($0.0, $1.minY), max($0.1, $1.minY))
        }
        isHorizontal = axis.map { $0 == .horizontal } ?? (maxX - minX > maxY - minY)
        isReversed = !wraps && start(of: last) < start(of: first)
        sorted = cells.indices.map { (start(of: cells[$0].frame), $0) }.filter { $0.0.isFinite }
            .sorted { $0 < $1 }
        var end = -Double.infinity
        for entry in sorted {
            end = max(end, self.end(of: cells[entry.cellIndex].frame))
            maximumEnds.append(end)
        }
    }

    /// Returns the distance that the viewport has travelled along the list, in list order. It is not finite if the
    /// viewport is not.
    func offset(of viewport: FeedViewport) -> Double {
        let start = start(of: viewport.visible)
        return isReversed ? -start : start
    }

    subscript(id: ID) -> FeedCell<ID>? { indices[id].map { cells[$0] } }

    private func start(of frame: CGRect) -> Double { isHorizontal ? frame.minX : frame.minY }
    private func end(of frame: CGRect) -> Double { isHorizontal ? frame.maxX : frame.maxY }

    /// Returns the number of clips before a position in the list.
    func clipCount(before index: Int) -> Int { clips.partitioningIndex { $0 >= index } }

    /// Returns the indices of all cells that are at least partly visible, in list order.
    func visible(in viewport: FeedViewport) -> [Int] {
        let seen = viewport.visible
        let (low, high) = (start(of: seen), end(of: seen))
        var result: [Int] = []
        var index = maximumEnds.partitioningIndex { $0 > low }
        while index < sorted.count, sorted[index].start < high {
            let cellIndex = sorted[index].cellIndex
            if viewport.share(of: cells[cellIndex].frame) > 0 { result.append(cellIndex) }
            index += 1
        }
        return result.sorted()
    }
}

extension Array {
    /// Returns the first index whose element satisfies `condition`, which must hold for all elements after the first
    /// match.
    fileprivate func partitioningIndex(_ condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
