import PlayheadCore

extension JSONValue: Decodable {
    /// Decodes any JSON value. The members of an object have no particular order.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error of the decoder.
    init(from decoder: any Swift.Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let values = try? container.decode([JSONValue].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: JSONValue].self).map { ($0.key, $0.value) })
        }
    }

    /// The member of an object with a name, or nil.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == name }?.1
    }

    /// The value as mpv writes it into text: "yes" and "no", and numbers with six decimals.
    var plainText: String {
        switch self {
        case .string(let text): text
        case .bool(let value): value ? "yes" : "no"
        case .integer(let value): "\(value)"
        case .number(let digits): Double(digits).map { String(printf: "%f", $0) } ?? digits
        case .null: ""
        case .array, .object: text
        }
    }

    /// A number, or text that is one; otherwise nil.
    var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let digits): Double(digits).flatMap { $0.isFinite ? $0 : nil }
        case .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// A time in seconds: a number, or text that is one or a time as `--start` has it ("1:30", "-0:10"); otherwise nil.
    var seconds: Double? {
        if let double { return double }
        guard case .string(let text) = self else { return nil }
        switch StartPosition(argument: text) {
        case .time(let time)?: return time.seconds
        case .beforeEnd(let time)?: return -time.seconds
        default: return nil
        }
    }

    /// A whole number, or text that is one; otherwise nil.
    var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .number(let digits): Double(digits).flatMap { Int(exactly: $0) }
        case .string(let text): Int(text)
        default: nil
        }
    }

    /// A truth value, or its text in mpv ("yes", "no"); otherwise nil.
    var flag: Bool? {
        switch self {
        case .bool(let value): value
        case .string("yes"): true
        case .string("no"): false
        default: nil
        }
    }

    /// The text of a string, a number or a truth value; nil for null and containers.
    var argument: String? {
        switch self {
        case .null, .array, .object: nil
        default: plainText
        }
    }
}
