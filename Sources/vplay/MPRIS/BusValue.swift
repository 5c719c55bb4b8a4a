/// A value of D-Bus, of the types that MPRIS uses.
indirect enum BusValue: Hashable, Sendable {
    case boolean(Bool)
    case int64(Int64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case strings([String])
    /// A dictionary from names to variants.
    case dictionary([String: BusValue])
    case variant(BusValue)

    /// The type in the notation of D-Bus.
    var signature: String {
        switch self {
        case .boolean: "b"
        case .int64: "x"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .strings: "as"
        case .dictionary: "a{sv}"
        case .variant: "v"
        }
    }
}
