import Playhead

/// An object whose properties can be observed by key path.
public protocol _KeyValueCodingAndObserving: AnyObject, SendableMetatype {}

/// An object of this module that can be observed.
protocol Observed: AnyObject, SendableMetatype {
    func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value>

    /// The value of a property for observers by string, or nil if there is no such property.
    func keyValue(forKey key: String) -> KeyValue?

    /// The observers by string.
    var keyValueRegistrations: KeyValueRegistrations { get }
}

/// A key path that a `@Sendable` closure reads.
///
/// `@unchecked Sendable`: a key path is immutable. Its subscript arguments, which no property of this module has, must
/// not be changed.
private struct ReadPath<Root, Value>: @unchecked Sendable {
    let path: KeyPath<Root, Value>
}

extension _KeyValueCodingAndObserving {
    /// Observes a property by key path until the observation is invalidated or released.
    ///
    /// The handler is called on the main queue for each change, one at a time and in causal order, and for `.initial`
    /// before the method returns. The values are those before and after the change, even if the player has advanced
    /// since then. A change that a setter made before the registration is not reported. Any key path may be observed,
    /// also of a subclass or through `currentItem`; it is read at every event of the player, and is reported if the value
    /// differs. A value of a type that is neither `Equatable` nor an error is not reported.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - options: The calls and values that the observer requests.
    ///   - changeHandler: Called with the object and the change.
    /// - Returns: The observation, which the caller retains.
    @preconcurrency
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>,
        options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let path = ReadPath(path: keyPath)
        let reference = WeakObject(self)
        guard let observed = self as? any Observed else {
            Misuse.report("\(type(of: self)) cannot be observed")
            return NSKeyValueObservation(nil)
        }
        let observation = observed.observeValue {
            reference.object.map { ObservedValue(value: $0[keyPath: path.path]) }
        } changeHandler: { old, new in
            guard let object = reference.object else { return }
            let old = options.contains(.old) ? old.value : nil
            if options.contains(.prior) {
                changeHandler(object, NSKeyValueObservedChange(new: nil, old: old, isPrior: true))
            }
            let new = options.contains(.new) ? new.value : nil
            changeHandler(object, NSKeyValueObservedChange(new: new, old: old))
        }
        if options.contains(.initial) {
            let new = options.contains(.new) ? observation.initialValue?.value : nil
            changeHandler(self, NSKeyValueObservedChange(new: new, old: nil))
        }
        return NSKeyValueObservation(observation.token)
    }
}
