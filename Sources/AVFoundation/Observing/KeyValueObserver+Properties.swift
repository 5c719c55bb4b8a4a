import CoreMedia
import Foundation
import MediaCore
import Playhead

extension KeyValueObserver: _KeyValueCodingAndObserving, Observed {
    func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> {
        let initial = read()
        let known = Locked(initial)
        let token = changeHandlers.add {
            guard let new = read() else { return }
            let old = known.withLock { known in
                defer { known = new }
                return known
            }
            if let old, old != new { changeHandler(old, new) }
        }
        return ValueObservation(initialValue: initial, token: token)
    }

    /// The value of a stored property by its name.
    func keyValue(forKey key: String) -> KeyValue? {
        var mirror: Mirror? = Mirror(reflecting: self)
        while let current = mirror {
            for child in current.children {
                if child.label == key { return KeyValue(any: child.value) }
                if child.label == "_" + key, let property = child.value as? any ObservableProperty {
                    return KeyValue(any: property.anyValue)
                }
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}

extension KeyValue {
    /// Creates the value of a property of any type; nil if the type has no class in Foundation.
    fileprivate init?(any value: Any) {
        switch value {
        case let optional as Any? where optional == nil: self = .null
        case let value as Bool: self.init(value)
        case let value as Int: self.init(value)
        case let value as Float: self.init(value)
        case let value as any BinaryInteger: self = .object(Self.number(value))
        case let value as any BinaryFloatingPoint: self = .object(NSNumber(value: Double(value)))
        case let value as String: self = .text(value)
        case let value as CMTime: self.init(value)
        case let value as CGSize: self.init(value)
        case let value as CGRect: self.init(value)
        case let value as NSObject: self = .object(value)
        case let value as [NSObject]: self = .list(value)
        case let value as any RawRepresentable<Int>: self.init(value.rawValue)
        case let value as any Error: self = .object(value as NSError)
        case let value as any RawRepresentable: self.init(any: value.rawValue)
        case let value as Date: self = .object(value as NSDate)
        case let value as URL: self = .object(value as NSURL)
        case let value as Data: self = .object(value as NSData)
        default: return nil
        }
    }

    private static func number(_ value: some BinaryInteger) -> NSNumber {
        value < 0 ? NSNumber(value: Int64(clamping: value)) : NSNumber(value: UInt64(clamping: value))
    }
}
