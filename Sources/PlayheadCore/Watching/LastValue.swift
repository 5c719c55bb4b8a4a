import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The value that was last reported to an observer. Nothing is reported before `start`.
final class LastValue<Value: Equatable & Sendable>: Sendable {
    private struct State {
        var value: Value?
        var sequence: UInt64 = 0
        var mustSendInitial: Bool
    }
    private let state: Locked<State>

    init(sendsInitial: Bool) { state = Locked(State(mustSendInitial: sendsInitial)) }

    /// The sequence number of the newest notification that came before the start.
    var missedSequence: UInt64 { state.withLock { $0.sequence } }

    /// Starts with a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - sequence: The sequence number of the snapshot that it was read from.
    ///   - missed: The value of `missedSequence` before the reading.
    /// - Returns: False if a notification came during the reading, so that the value may be older than it.
    func start(_ value: Value, at sequence: UInt64, after missed: UInt64) -> Bool {
        state.withLock { state in
            guard state.sequence == missed else { return false }
            state.value = value
            state.sequence = max(sequence, missed)
            return true
        }
    }

    func consumeInitialValue() -> Value? {
        state.withLock { state in
            guard state.mustSendInitial, let value = state.value else { return nil }
            state.mustSendInitial = false
            return value
        }
    }

    /// Stores a new value.
    ///
    /// - Returns: The previous value, or nil if the value is the same or older than the observer.
    func exchange(_ new: Value, at sequence: UInt64) -> Value? {
        state.withLock { state in
            guard sequence > state.sequence else { return nil }
            state.sequence = sequence
            guard let old = state.value, old != new else { return nil }
            state.value = new
            return old
        }
    }
}
