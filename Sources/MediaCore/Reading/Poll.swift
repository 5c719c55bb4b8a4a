/// The result of a call that does not wait for bytes.
///
/// After `.pending`, the same call is repeated and continues where it stopped.
public enum Poll<Value> {
    /// The call has ended with a value.
    case ready(Value)
    /// The call has not ended, because no bytes are available yet.
    case pending
}

extension Poll: Sendable where Value: Sendable {}

extension Poll {
    /// The value, or nil if the call has not ended.
    package var value: Value? {
        switch self {
        case .ready(let value): value
        case .pending: nil
        }
    }

    /// Returns the result with another value.
    package func map<Other>(_ transform: (Value) -> Other) -> Poll<Other> {
        switch self {
        case .ready(let value): .ready(transform(value))
        case .pending: .pending
        }
    }

    /// Returns the value of a call that waits instead of returning `.pending`.
    ///
    /// - Throws: `MediaError` if the call has not ended.
    package func get() throws(MediaError) -> Value {
        guard let value else { throw .waiting(for: "bytes", location: nil) }
        return value
    }
}
