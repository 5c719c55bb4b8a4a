import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The value that an observer was told last.
final class LastValue<Value: Equatable & Sendable>: Sendable {
    private struct State {
        var value: Value
        var sequence: UInt64
        var owesInitial: Bool
    }
    private let state: Locked<State>

    init(_ moment: ObservedSnapshot?, wantsInitial: Bool, _ read: () -> Value) {
        let value = moment?.during(read) ?? read()
        state = Locked(
            State(value: value, sequence: moment?.sequence ?? 0, owesInitial: wantsInitial)
        )
    }

    func takeInitial() -> Value? {
        state.withLock { state in
            guard state.owesInitial else { return nil }
            state.owesInitial = false
            return state.value
        }
    }

    /// The value before; nil when nothing changed, or the news is older than the observer.
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
