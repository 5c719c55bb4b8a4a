import FoundationEssentials
import PlayheadCore

/// A JSON value. Foundation's coders take longer to load than the first frame takes to decode.
indirect enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number in JSON syntax.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// An object whose members keep their order.
    case object([(String, JSONValue)])

    static func integer(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    /// Returns a time in seconds, exact to the nanosecond, or null if it is not numeric.
    static func time(_ time: MediaTime) -> JSONValue {
        decimalSeconds(time).map { .number($0) } ?? .null
    }

    /// Returns the shortest digits of a value, or null if it is not finite.
    static func real(_ value: Double) -> JSONValue { value.isFinite ? .number("\(value)") : .null }
    static func real(_ value: Float) -> JSONValue { value.isFinite ? .number("\(value)") : .null }

    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// Returns an object whose members are sorted by name, so that equal dictionaries have equal text.
    static func dictionary(_ values: [String: String]) -> JSONValue {
        .object(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }
}

extension JSONValue {
    /// The JSON text on one line.
    var text: String {
        var text = ""
        write(into: &text, indent: nil)
        return text
    }

    /// The JSON text with one member per line.
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

    /// Appends a string. Characters that RFC 8259 requires to be escaped and terminal control characters are escaped;
    /// all others are UTF-8.
    private static func quote(_ value: String, into text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.controlsTerminal:
                text += String(printf: "\\u%04x", scalar.value)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// Returns a time in decimal seconds, exact to the nanosecond and without trailing zeros, or nil if it is not numeric.
func decimalSeconds(_ time: MediaTime) -> String? {
    guard let nanoseconds = time.nanoseconds else { return nil }
    let (whole, part) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    var digits = String(printf: "%09llu", part)
    while digits.last == "0" { digits.removeLast() }
    let sign = nanoseconds < 0 ? "-" : ""
    return sign + String(whole) + (digits.isEmpty ? "" : "." + digits)
}
