import Foundation
import Synchronization

/// Four columns that are filled independently and printed side by side.
final class Table: Sendable {
    enum Column: Int, CaseIterable {
        case event, observer, tracking, notification
    }

    private static let titles = ["events", "observe(keyPath)", "Observation", "notifications"]
    private let rows = Mutex([(column: Column, text: String)]())

    func add(_ text: String, to column: Column) { rows.withLock { $0.append((column, text)) } }

    /// Each column holds what came that way, in the order in which it came. A row is one change: what the
    /// streams tell, and next to it what the other ways told of the same.
    func print() {
        let rows = rows.withLock { $0 }
        var columns = Column.allCases.map { column in rows.filter { $0.column == column }.map(\.text)[...] }
        Swift.print(Self.line(Self.titles))
        while columns.contains(where: { !$0.isEmpty }) {
            let first = columns.lazy.compactMap(\.first).first ?? ""
            var cells: [String] = []
            for index in columns.indices {
                // Something else is next in this column: its row is still to come.
                cells.append(columns[index].first == first ? columns[index].removeFirst() : "")
            }
            Swift.print(Self.line(cells))
        }
    }

    private static func line(_ cells: [String]) -> String {
        let padded = cells.map { $0.padding(toLength: max(29, $0.count), withPad: " ", startingAt: 0) }
        return padded.joined(separator: " ").replacing(#/ +$/#, with: "")
    }
}
