/// The kind of a change.
public enum NSKeyValueChange: UInt, Sendable {
    /// The property was set.
    case setting = 1
    /// Objects were inserted. It does not occur.
    case insertion = 2
    /// Objects were removed. It does not occur.
    case removal = 3
    /// Objects were replaced. It does not occur.
    case replacement = 4
}
