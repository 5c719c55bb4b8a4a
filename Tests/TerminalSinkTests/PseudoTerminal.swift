import Foundation
import Glibc
import MediaCore
import TestSupport

/// A pseudo-terminal that the test reads.
final class PseudoTerminal: Sendable {
    private let master: Int32
    /// The descriptor to write to.
    let terminal: Int32
    private let isHungUp = Locked(false)

    init(columns: Int = 40, rows: Int = 12, pixels: PixelSize = .zero) throws {
        var (master, terminal) = (Int32(-1), Int32(-1))
        guard openpty(&master, &terminal, nil, nil, nil) == 0 else { throw POSIXError(.ENXIO) }
        (self.master, self.terminal) = (master, terminal)
        var mode = termios()
        tcgetattr(terminal, &mode)
        cfmakeraw(&mode)
        tcsetattr(terminal, TCSANOW, &mode)
        resize(columns: columns, rows: rows, pixels: pixels)
    }

    deinit {
        close(terminal)
        hangUp()
    }

    func resize(columns: Int, rows: Int, pixels: PixelSize = .zero) {
        var size = winsize(
            ws_row: UInt16(rows),
            ws_col: UInt16(columns),
            ws_xpixel: UInt16(pixels.width),
            ws_ypixel: UInt16(pixels.height)
        )
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Closes the window of the terminal.
    func hangUp() {
        let isFirst = isHungUp.withLock { isHungUp in
            defer { isHungUp = true }
            return !isHungUp
        }
        if isFirst { close(master) }
    }

    /// Stops the output, like ^S.
    func hold() { tcflow(terminal, TCOOFF) }

    /// Reads until the bytes meet a condition, and returns them. Gives up after 30 s without a byte.
    func read(until isEnough: ([UInt8]) -> Bool) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !isEnough(all) {
            var input = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&input, 1, 30_000) == 1 else { break }
            let count = Glibc.read(master, &buffer, buffer.count)
            guard count > 0 else { break }
            all += buffer[..<count]
        }
        return all
    }

    /// Reads until `text` has arrived the given number of times.
    func read(until text: String, times: Int = 1) -> String {
        let wanted = Array(text.utf8)
        let bytes = read { Self.count(wanted, in: $0) >= times }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func count(_ wanted: [UInt8], in bytes: [UInt8]) -> Int {
        Data(bytes).count(of: Data(wanted))
    }
}

extension Data {
    fileprivate func count(of wanted: Data) -> Int {
        var (count, start) = (0, startIndex)
        while let found = range(of: wanted, in: start..<endIndex) {
            count += 1
            start = found.upperBound
        }
        return count
    }
}

/// The screen of a terminal after bytes were written to it. Supports true colors and the sequences of `ScreenBytes`.
struct ScreenModel {
    struct Cell: Equatable {
        var character: Character = " "
        var front: [Int]?
        var back: [Int]?
        var isInverse = false
        /// The color of the whole cell; nil if its character covers only a part.
        var color: [Int]? {
            switch character {
            case " ": isInverse ? front : back
            case "█": isInverse ? back : front
            default: nil
            }
        }
    }
    private(set) var cells: [[Cell]]
    private(set) var isOther = false
    private(set) var hasCursor = true
    private(set) var updates = 0
    private var (row, column) = (0, 0)
    private var pen = Cell()

    init(columns: Int, rows: Int) {
        cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
    }

    /// Returns the number of cells that have one color completely.
    func count(_ color: [Int]) -> Int { cells.joined().filter { $0.color == color }.count }

    func text(row: Int) -> String {
        let characters = cells[row].map(\.character)
        let end = characters.lastIndex { $0 != " " } ?? -1
        return String(characters[...end])
    }

    mutating func apply(_ text: String) {
        var rest = text[...]
        while let first = rest.popFirst() {
            if first == "\u{1B}", rest.first == "[" {
                rest.removeFirst()
                let body = rest.prefix { !("@"..."~").contains($0) }
                rest = rest[body.endIndex...]
                guard let final = rest.popFirst() else { return }
                perform(String(body), final)
            } else if first == "\u{1B}" {
                _ = rest.popFirst()
            } else if row < cells.count, column < cells[row].count {
                cells[row][column] = pen
                cells[row][column].character = first
                column += 1
            }
        }
    }

    private mutating func perform(_ body: String, _ final: Character) {
        let numbers = body.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        switch (final, body) {
        case ("h", "?1049"): isOther = true
        case ("l", "?1049"): isOther = false
        case ("h", "?25"): hasCursor = true
        case ("l", "?25"): hasCursor = false
        case ("l", "?2026"): updates += 1
        case ("H", _): (row, column) = (numbers[0] - 1, (numbers.count > 1 ? numbers[1] : 1) - 1)
        case ("J", "2"):
            let columns = cells.first?.count ?? 0
            cells = cells.map { _ in Array(repeating: Cell(), count: columns) }
        case ("K", _): for index in column..<cells[row].count { cells[row][index] = Cell() }
        case ("m", _): paint(numbers)
        default: break
        }
    }

    private mutating func paint(_ numbers: [Int]) {
        var index = 0
        while index < numbers.count {
            switch numbers[index] {
            case 0: pen = Cell()
            case 7: pen.isInverse = true
            case 38, 48:
                let color = Array(numbers[(index + 2)..<(index + 5)])
                if numbers[index] == 38 { pen.front = color } else { pen.back = color }
                index += 4
            default: break
            }
            index += 1
        }
    }
}
