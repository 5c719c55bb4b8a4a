import Foundation

/// A value of a property, with an equality that also exists for types that are not `Equatable`.
///
/// `@unchecked Sendable`: the values of the observed properties are values, or objects of this module that may be used
/// from any thread.
struct ObservedValue<Value>: Equatable, @unchecked Sendable {
    let value: Value

    static func == (a: Self, b: Self) -> Bool {
        if let type = Value.self as? any Equatable.Type { return areEqual(a.value, b.value, as: type) }
        // Of the observed properties only errors are not equatable.
        let (first, second) = (a.value as? any Error, b.value as? any Error)
        guard let first, let second else { return (first == nil) == (second == nil) }
        return (first as NSError).isEqual(second as NSError)
    }

    private static func areEqual<Comparable: Equatable>(
        _ a: Value,
        _ b: Value,
        as type: Comparable.Type
    ) -> Bool {
        guard let a = a as? Comparable, let b = b as? Comparable else { return false }
        return a == b
    }
}
