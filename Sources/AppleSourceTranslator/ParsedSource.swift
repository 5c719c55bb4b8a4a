#if AppleSources
import SwiftParser
import SwiftSyntax

/// A file with its syntax tree.
struct ParsedSource {
    let path: String
    let tree: SourceFileSyntax
    let bytes: [UInt8]
    /// The offsets at which lines begin.
    private let lineStarts: [Int]

    init(_ source: AppleSource) {
        path = source.path
        tree = Parser.parse(source: source.text)
        bytes = Array(source.text.utf8)
        var starts = [0]
        for (offset, byte) in bytes.enumerated() where Self.endsLine(byte, before: offset + 1, in: bytes) {
            starts.append(offset + 1)
        }
        lineStarts = starts
    }

    /// Whether a byte is the last one of a line: LF, CR LF and CR end lines.
    private static func endsLine(_ byte: UInt8, before next: Int, in bytes: [UInt8]) -> Bool {
        switch byte {
        case UInt8(ascii: "\n"): true
        case UInt8(ascii: "\r"): next == bytes.count || bytes[next] != UInt8(ascii: "\n")
        default: false
        }
    }

    /// The end of lines in this file.
    var lineEnd: String { bytes.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n" }

    /// Returns the line and the column of an offset, both beginning with 1.
    func position(of offset: Int) -> (line: Int, column: Int) {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return (low + 1, offset - lineStarts[low] + 1)
    }

    /// Returns the directive by which the compiler's messages about the next line name a line of this file.
    func locationDirective(line: Int) -> String {
        let path = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "#sourceLocation(file: \"\(path)\", line: \(line))"
    }

    /// Returns the text in a range with spaces for everything but the ends of lines, so that lines and columns remain.
    func blank(_ range: Range<Int>) -> String {
        String(decoding: bytes[range].map { $0 == 10 || $0 == 13 ? $0 : UInt8(ascii: " ") }, as: UTF8.self)
    }

    /// Returns the ends of lines in a range.
    func lineEnds(_ range: Range<Int>) -> String {
        String(decoding: bytes[range].filter { $0 == 10 || $0 == 13 }, as: UTF8.self)
    }

    /// Whether nothing else is on the lines of a range, except for a comment after it.
    func isAlone(_ range: Range<Int>) -> Bool {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let isEnd = { (byte: UInt8) in byte == 10 || byte == 13 }
        let before = bytes[..<range.lowerBound].reversed().drop(while: isSpace).first
        let after = bytes[range.upperBound...].drop(while: isSpace)
        return before.map(isEnd) ?? true
            && (after.first.map(isEnd) ?? true || after.starts(with: Array("//".utf8)))
    }
}

extension SyntaxProtocol {
    /// The bytes of the node without the spaces and comments around it.
    var range: Range<Int> {
        positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
    }
}
#endif
