import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The value that an observer knows, and the value that was last reported. Nothing is reported before `start`.
///
/// The two differ after a setter: a getter returns the new value at once, and the engine reports it later. An observer
/// that was registered in between may know the new value already.
final class KnownValue<Value: Equatable & Sendable>: Sendable {
    private struct State {
        var reported: Value?
        var known: Value?
        /// The sequence number of the newest notification, or of the snapshot that the values were read from.
        var sequence: UInt64 = 0
        var isStarted = false
        var mustSendInitial: Bool
    }
    private let state: Locked<State>

    init(sendsInitial: Bool = false) { state = Locked(State(mustSendInitial: sendsInitial)) }

    /// Starts with the values of an object.
    ///
    /// - Parameters:
    ///   - object: The object that is observed.
    ///   - read: Returns the values, given the newest snapshot. It is called again if a notification comes meanwhile,
    ///     which may be newer than the values.
    /// - Returns: The value that the observer knows.
    @discardableResult
    func start(
        from object: some Watchable,
        reading read: (ObservedSnapshot?) -> (reported: Value?, known: Value?)
    ) -> Value? {
        while true {
            let missed = state.withLock { $0.sequence }
            let latest = object.latestSnapshot
            let (reported, known) = read(latest)
            let isStarted = state.withLock { state in
                guard state.sequence == missed else { return false }
                state.reported = reported
                state.known = known
                state.sequence = max(latest?.sequence ?? 0, missed)
                state.isStarted = true
                return true
            }
            if isStarted { return known }
        }
    }

    func consumeInitialValue() -> Value? {
        state.withLock { state in
            guard state.mustSendInitial, let value = state.known else { return nil }
            state.mustSendInitial = false
            return value
        }
    }

    /// Stores a value that is reported.
    ///
    /// - Returns: The value that the observer knew, or nil if the observer knows the new value or registered after it.
    func exchange(_ new: Value, at sequence: UInt64) -> Value? {
        state.withLock { state in
            guard sequence > state.sequence else { return nil }
            state.sequence = sequence
            guard state.isStarted, state.reported != new else { return nil }
            state.reported = new
            guard state.known != new else { return nil }
            defer { state.known = new }
            return state.known
        }
    }
}
