#if Combine
    public import AVFoundation
    public import OpenCombine

    extension NSObject {
        /// Publishes the values of an observed property: those that the handler of `observe(_:options:changeHandler:)`
        /// gets, on the main queue and in the same order. It never completes, and retains the object.
        ///
        /// Values that arrive without demand are dropped, except that the initial value is kept until it is requested.
        public struct KeyValueObservingPublisher<Subject: NSObject & _KeyValueCodingAndObserving, Value>:
            Publisher
        {
            public typealias Output = Value
            public typealias Failure = Never

            /// The observed object.
            public let object: Subject
            /// The key path of the property.
            public let keyPath: KeyPath<Subject, Value>
            /// The calls and values that are requested.
            public let options: NSKeyValueObservingOptions

            /// Creates a publisher.
            ///
            /// - Parameters:
            ///   - object: The object to observe.
            ///   - keyPath: The key path of the property.
            ///   - options: The values to publish: with `.initial`, also the present one.
            public init(
                object: Subject,
                keyPath: KeyPath<Subject, Value>,
                options: NSKeyValueObservingOptions
            ) {
                self.object = object
                self.keyPath = keyPath
                self.options = options
            }

            public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
                let subscription = KeyValueSubscription(AnySubscriber(subscriber))
                subscription.begin(object, keyPath, options)
                subscriber.receive(subscription: subscription)
            }
        }
    }

    extension _KeyValueCodingAndObserving where Self: NSObject {
        /// Returns a publisher of the values of a property.
        ///
        /// - Parameters:
        ///   - keyPath: The key path of the property; see `observe(_:options:changeHandler:)`.
        ///   - options: The values to publish. By default the present one comes first.
        /// - Returns: The publisher.
        public func publisher<Value>(
            for keyPath: KeyPath<Self, Value>,
            options: NSKeyValueObservingOptions = [.initial, .new]
        ) -> NSObject.KeyValueObservingPublisher<Self, Value> {
            NSObject.KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
        }
    }
#endif
