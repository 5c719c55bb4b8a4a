import Foundation
import MediaCore
import Playhead

/// One observer of one property by string.
///
/// `@unchecked Sendable`: the key path and the context are constants, the weak reference is read atomically and never
/// written after `init`, and `Locked` guards the state. The observer is called on the main actor alone.
final class KeyValueRegistration: @unchecked Sendable {
    private struct State: Sendable {
        var token: ObservationToken?
        var isEnded = false
    }

    let keyPath: String
    let context: UnsafeMutableRawPointer?
    private(set) weak var observer: (any NSKeyValueObserving)?
    /// The identity of the observer, which is also known while the observer is being released.
    private let observerID: ObjectIdentifier
    private let state = Locked(State())

    init(_ observer: any NSKeyValueObserving, _ keyPath: String, _ context: UnsafeMutableRawPointer?) {
        self.observer = observer
        observerID = ObjectIdentifier(observer)
        self.keyPath = keyPath
        self.context = context
    }

    func isOf(_ observer: any NSKeyValueObserving, _ keyPath: String) -> Bool {
        ObjectIdentifier(observer) == observerID && self.keyPath == keyPath
    }

    /// Stores the token of the observation, which the registration retains until it ends.
    func begin(_ token: ObservationToken) {
        let isEnded = state.withLock { state in
            if !state.isEnded { state.token = token }
            return state.isEnded
        }
        if isEnded { token.invalidate() }
    }

    /// Ends the calls.
    func end() {
        let token = state.withLock { state in
            defer { state = State(token: nil, isEnded: true) }
            return state.token
        }
        token?.invalidate()
    }

    /// Calls the observer: on the main queue at once, otherwise there later.
    func deliver(_ change: [NSKeyValueChangeKey: Any], of object: AnyObject) {
        // The dictionary is not used here afterwards, and observed objects may be used from any thread or, if they are
        // layers, from the main thread alone, on which they are observed.
        nonisolated(unsafe) let change = change
        nonisolated(unsafe) let object = object
        MainQueue.run { self.call(change, object) }
    }

    @MainActor private func call(_ change: [NSKeyValueChangeKey: Any], _ object: AnyObject) {
        guard let observer, !state.withLock({ $0.isEnded }) else { return }
        observer.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
}
