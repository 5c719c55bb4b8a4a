import DequeModule

/// The lines that a remote client has not read yet.
///
/// A client that does not read must neither delay playback nor use memory without end: beyond `limit` a new value of a
/// property replaces the pending one, and beyond twice the limit the client is disconnected.
struct ControlOutput: Sendable {
    private struct Line: Sendable {
        var bytes: [UInt8]
        let property: Int?
    }

    private let limit: Int
    private var lines: Deque<Line> = []
    /// The number of lines that have been removed, which makes positions of lines permanent.
    private var removedCount = 0
    /// The number of bytes of the first line that have been written.
    private var written = 0
    /// The positions of the newest pending lines of properties.
    private var positions: [Int: Int] = [:]
    private(set) var byteCount = 0

    init(limit: Int = 1 << 20) { self.limit = limit }

    /// Appends a line.
    ///
    /// - Parameters:
    ///   - bytes: The line with its end.
    ///   - property: Identifies an observed property, if the line has its value.
    /// - Returns: False if the client must be disconnected.
    mutating func append(_ bytes: [UInt8], property: Int? = nil) -> Bool {
        if byteCount + bytes.count > limit, let property, let position = positions[property],
            position > removedCount || (position == removedCount && written == 0)
        {
            let index = position - removedCount
            byteCount += bytes.count - lines[index].bytes.count
            lines[index].bytes = bytes
        } else {
            if let property { positions[property] = removedCount + lines.count }
            lines.append(Line(bytes: bytes, property: property))
            byteCount += bytes.count
        }
        return byteCount <= 2 * limit
    }

    /// Writes pending bytes until `write` accepts no more.
    ///
    /// - Parameter write: Receives bytes, and returns the number of bytes that it accepted.
    mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int) {
        while let line = lines.first {
            let accepted = line.bytes.withUnsafeBytes { bytes in
                max(0, write(UnsafeRawBufferPointer(rebasing: bytes[written...])))
            }
            written += accepted
            guard written == line.bytes.count else { return }
            if let property = line.property, positions[property] == removedCount { positions[property] = nil }
            byteCount -= written
            lines.removeFirst()
            removedCount += 1
            written = 0
        }
    }

    var isEmpty: Bool { lines.isEmpty }
}
