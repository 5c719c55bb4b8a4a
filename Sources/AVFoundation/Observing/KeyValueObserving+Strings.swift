import Foundation
import Playhead

extension Observed {
    /// The value of a property of this object, or through its properties of another object.
    ///
    /// - Parameter path: The keys.
    /// - Returns: The value, or nil if there is no such property.
    func keyValue(forPath path: ArraySlice<String>) -> KeyValue? {
        guard let key = path.first, let value = keyValue(forKey: key) else { return nil }
        let rest = path.dropFirst()
        if rest.isEmpty || value == .null { return value }
        guard case .object(let object) = value else { return nil }
        return (object as? any Observed)?.keyValue(forPath: rest)
    }
}

extension _KeyValueCodingAndObserving {
    /// Observes a property by string until the observer is removed or released, or the object is released.
    ///
    /// The observer is called on the main queue for each change, one at a time, in the order and with the values of
    /// `observe(_:options:changeHandler:)`. The call that `.initial` requests precedes the return of this method if that
    /// is called on the main queue, and is enqueued there otherwise. Neither object is retained. An unknown key path is
    /// logged; Apple's method raises an exception.
    ///
    /// - Parameters:
    ///   - observer: The object that is called.
    ///   - keyPath: The name of the property or of its getter, such as `playbackLikelyToKeepUp` or
    ///     `isPlaybackLikelyToKeepUp`, or a path such as `currentItem.status`.
    ///   - options: The calls and values that the observer requests.
    ///   - context: A pointer for the calls, which tells registrations apart. It is not read.
    public func addObserver(
        _ observer: any NSKeyValueObserving,
        forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        let path = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let observed = self as? any Observed, observed.keyValue(forPath: path[...]) != nil else {
            return Misuse.report("\(type(of: self)) has no property to observe: \(keyPath)")
        }
        let registration = KeyValueRegistration(observer, keyPath, context)
        let observation = observed.begin(registration, path, options, of: observed)
        observed.keyValueRegistrations.add(registration)
        if options.contains(.initial) {
            registration.deliver(
                .change(new: options.contains(.new) ? observation.initialValue : nil),
                of: self
            )
        }
    }

    /// Removes an observer of a property: the one with this context that was added last. No further call begins. An
    /// observer that was not added is logged; Apple's method raises an exception.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - keyPath: The string that was passed when it was added.
    ///   - context: The pointer that was passed when it was added.
    public func removeObserver(
        _ observer: any NSKeyValueObserving,
        forKeyPath keyPath: String,
        context: UnsafeMutableRawPointer?
    ) {
        removeObserver(observer, keyPath) { $0 == context }
    }

    /// Removes an observer of a property: the one that was added last, whatever its context. No further call begins. An
    /// observer that was not added is logged; Apple's method raises an exception.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - keyPath: The string that was passed when it was added.
    public func removeObserver(_ observer: any NSKeyValueObserving, forKeyPath keyPath: String) {
        removeObserver(observer, keyPath) { _ in true }
    }

    private func removeObserver(
        _ observer: any NSKeyValueObserving,
        _ keyPath: String,
        isOfContext matches: (UnsafeMutableRawPointer?) -> Bool
    ) {
        let isRemoved = (self as? any Observed)?.keyValueRegistrations.removeLast {
            $0.isOf(observer, keyPath) && matches($0.context)
        }
        if isRemoved != true {
            Misuse.report("\(type(of: observer)) is not an observer of \(keyPath) of \(type(of: self))")
        }
    }
}

extension Observed {
    fileprivate func begin(
        _ registration: KeyValueRegistration,
        _ path: [String],
        _ options: NSKeyValueObservingOptions,
        of root: some Observed
    ) -> ValueObservation<KeyValue> {
        if self is KeyValueObserver, path.count > 1, case .object(let object) = keyValue(forKey: path[0]),
            let next = object as? any Observed
        {
            return next.begin(registration, Array(path.dropFirst()), options, of: root)
        }
        let (reference, owner) = (WeakObject(self), WeakObject(root))
        // The observers of the player retain the closures, so the closures do not retain the registration with its token.
        let observation = observeValue { [weak registration] () -> KeyValue? in
            guard let object = reference.object, let registration else { return nil }
            guard registration.observer != nil else {
                _ = owner.object?.keyValueRegistrations.removeLast { $0 === registration }
                return nil
            }
            return object.keyValue(forPath: path[...])
        } changeHandler: { [weak registration] old, new in
            guard let object = owner.object, let registration else { return }
            let old = options.contains(.old) ? old : nil
            if options.contains(.prior) {
                registration.deliver(.change(old: old, isPrior: true), of: object)
            }
            registration.deliver(.change(new: options.contains(.new) ? new : nil, old: old), of: object)
        }
        registration.begin(observation.token)
        return observation
    }
}

extension [NSKeyValueChangeKey: Any] {
    /// Returns the description of a change.
    fileprivate static func change(new: KeyValue? = nil, old: KeyValue? = nil, isPrior: Bool = false) -> Self
    {
        var change: Self = [.kindKey: NSNumber(value: NSKeyValueChange.setting.rawValue)]
        if let new { change[.newKey] = new.value }
        if let old { change[.oldKey] = old.value }
        if isPrior { change[.notificationIsPriorKey] = NSNumber(value: true) }
        return change
    }
}
