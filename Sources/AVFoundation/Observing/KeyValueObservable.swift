/// A property whose changes are reported to the observers of its object, in place of `@objc dynamic`.
///
/// The class inherits from `KeyValueObserver`. Observers by key path are called before the setter returns, on its thread,
/// and before `didSet`. A new value that equals the old one is not reported.
@propertyWrapper
public struct KeyValueObservable<Value> {
    private var value: Value

    /// Creates the property.
    ///
    /// - Parameter wrappedValue: The initial value.
    public init(wrappedValue: Value) { value = wrappedValue }

    /// The value. The compiler uses the subscript of the object instead.
    @available(*, unavailable, message: "the class of an observable property inherits from KeyValueObserver")
    public var wrappedValue: Value {
        get { value }
        set { value = newValue }
    }

    /// The value of the property of an object.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - wrapped: The property.
    ///   - storage: Where the value is stored.
    public static subscript<Object: KeyValueObserver>(
        _enclosingInstance object: Object,
        wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        get { object[keyPath: storage].value }
        set {
            object[keyPath: storage].value = newValue
            object.changeHandlers.notify()
        }
    }
}

/// A property with any type of value.
protocol ObservableProperty {
    var anyValue: Any { get }
}

extension KeyValueObservable: ObservableProperty {
    var anyValue: Any { value }
}
