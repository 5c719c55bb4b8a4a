import Foundation
import Playhead

/// JSON by hand: Foundation's coders take longer to load than a first frame to decode.
indirect enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Digits that are a JSON number already.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// In this order.
    case object([(String, JSONValue)])

    static func integer(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    /// Seconds, exact to the nanosecond; null where there is no number.
    static func time(_ time: MediaTime) -> JSONValue {
        decimalSeconds(time).map { .number($0) } ?? .null
    }

    /// The shortest digits that mean this value; null for what JSON cannot say.
    static func real(_ value: Double) -> JSONValue { value.isFinite ? .number("\(value)") : .null }
    static func real(_ value: Float) -> JSONValue { value.isFinite ? .number("\(value)") : .null }

    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// Sorted by name, so that the same dictionary is always the same text.
    static func dictionary(_ values: [String: String]) -> JSONValue {
        .object(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }
}

extension JSONValue {
    /// On one line.
    var text: String {
        var text = ""
        write(into: &text, indent: nil)
        return text
    }

    /// For programs and people: one member a line.
    var indentedText: String {
        var text = ""
        write(into: &text, indent: "")
        return text
    }

    private func write(into text: inout String, indent: String?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .number(let digits): text += digits
        case .string(let value): Self.quote(value, into: &text)
        case .array(let values):
            Self.list(values.count, "[", "]", into: &text, indent: indent) { index, text, indent in
                values[index].write(into: &text, indent: indent)
            }
        case .object(let members):
            Self.list(members.count, "{", "}", into: &text, indent: indent) { index, text, indent in
                Self.quote(members[index].0, into: &text)
                text += indent == nil ? ":" : ": "
                members[index].1.write(into: &text, indent: indent)
            }
        }
    }

    private static func list(
        _ count: Int,
        _ open: String,
        _ close: String,
        into text: inout String,
        indent: String?,
        element: (Int, inout String, String?) -> Void
    ) {
        text += open
        let inner = indent.map { $0 + "  " }
        for index in 0..<count {
            if index > 0 { text += "," }
            if let inner { text += "\n" + inner }
            element(index, &text, inner)
        }
        if count > 0, let indent { text += "\n" + indent }
        text += close
    }

    /// Escapes what RFC 8259 wants escaped, and what would steer a terminal; all else is UTF-8 as it is.
    private static func quote(_ value: String, into text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.steersTerminal:
                text += String(format: "\\u%04x", scalar.value)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// Seconds in decimal, exact to the nanosecond, without needless zeros; nil where there is no number.
func decimalSeconds(_ time: MediaTime) -> String? {
    guard let nanoseconds = time.nanoseconds else { return nil }
    let (whole, part) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    var digits = String(format: "%09llu", part)
    while digits.last == "0" { digits.removeLast() }
    let sign = nanoseconds < 0 ? "-" : ""
    return sign + String(whole) + (digits.isEmpty ? "" : "." + digits)
}
