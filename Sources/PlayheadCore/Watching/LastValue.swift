import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The value that was last reported to an observer.
final class LastValue<Value: Equatable & Sendable>: Sendable {
    private struct State {
        var value: Value
        var sequence: UInt64
        var mustSendInitial: Bool
    }
    private let state: Locked<State>

    init(_ observed: ObservedSnapshot?, sendsInitial: Bool, _ read: () -> Value) {
        let value = observed?.withCurrent(read) ?? read()
        state = Locked(
            State(value: value, sequence: observed?.sequence ?? 0, mustSendInitial: sendsInitial)
        )
    }

    func consumeInitialValue() -> Value? {
        state.withLock { state in
            guard state.mustSendInitial else { return nil }
            state.mustSendInitial = false
            return state.value
        }
    }

    /// Stores a new value.
    ///
    /// - Returns: The previous value, or nil if the value is the same or older than the observer.
    func exchange(_ new: Value, at sequence: UInt64) -> Value? {
        state.withLock { state in
            guard sequence > state.sequence else { return nil }
            state.sequence = sequence
            guard state.value != new else { return nil }
            defer { state.value = new }
            return state.value
        }
    }
}
