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

    /// Prints the table. Each column holds the reports of one way in the order of arrival. A row is one change:
    /// the event, and next to it the reports of the same change by the other ways.
    func print() {
        let rows = rows.withLock { $0 }
        var columns = Column.allCases.map { column in rows.filter { $0.column == column }.map(\.text)[...] }
        Swift.print(Self.line(Self.titles))
        while columns.contains(where: { !$0.isEmpty }) {
            let first = columns.lazy.compactMap(\.first).first ?? ""
            var cells: [String] = []
            for index in columns.indices {
                // A column whose next entry is another change stays empty in this row.
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
