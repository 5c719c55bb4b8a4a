#if Combine
    import AVFoundation
    import MediaCore
    import OpenCombine

    /// An observation for a subscriber, which receives as many values as it requests.
    ///
    /// `@unchecked Sendable`: `state` is guarded by its lock. Subscribers are called on the main queue, and on the thread
    /// that requests the initial value.
    final class KeyValueSubscription<Value>: Subscription, @unchecked Sendable {
        private struct State: @unchecked Sendable {
            var subscriber: AnySubscriber<Value, Never>?
            var demand = Subscribers.Demand.none
            var observation: NSKeyValueObservation?
            /// The initial value, until it is requested.
            var initial: Value?
            /// Whether the observation is reporting the initial value.
            var isBeginning = false
        }

        private let state: Locked<State>

        init(_ subscriber: AnySubscriber<Value, Never>) { state = Locked(State(subscriber: subscriber)) }

        func begin<Subject: NSObject & _KeyValueCodingAndObserving>(
            _ object: Subject,
            _ keyPath: KeyPath<Subject, Value>,
            _ options: NSKeyValueObservingOptions
        ) {
            state.withLock { $0.isBeginning = options.contains(.initial) }
            // The observation reports what differs from its own initial value. One that was read before might be older.
            let observation = object.observe(keyPath, options: options.union([.old, .new])) {
                [weak self] _, change in
                guard let self, let value = change.newValue else { return }
                // Only the initial value is reported without an old one.
                if change.oldValue == nil { begin(with: value) } else { receive(value) }
            }
            state.withLock { state in
                state.observation = observation
                state.isBeginning = false
            }
        }

        /// Stores the initial value, unless the main queue has reported a newer one already.
        private func begin(with value: Value) {
            state.withLock { state in
                if state.initial == nil { state.initial = value }
            }
        }

        private func receive(_ value: Value) {
            let subscriber = state.withLock { state -> AnySubscriber<Value, Never>? in
                if state.isBeginning { state.initial = value }
                guard state.demand > 0 else { return nil }
                state.demand -= 1
                return state.subscriber
            }
            guard let more = subscriber?.receive(value), more > 0 else { return }
            request(more)
        }

        func request(_ demand: Subscribers.Demand) {
            let initial = state.withLock { state -> Value? in
                state.demand += demand
                defer { if state.demand > 0 { state.initial = nil } }
                return state.demand > 0 ? state.initial : nil
            }
            if let initial { receive(initial) }
        }

        func cancel() {
            // The subscriber is released outside the lock, because its deinitializer may cancel the subscription again.
            let ended = state.withLock { state in
                defer { state = State() }
                return state
            }
            ended.observation?.invalidate()
        }
    }
#endif
