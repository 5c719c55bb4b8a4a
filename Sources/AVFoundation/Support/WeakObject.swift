/// A weak reference to an object that a `@Sendable` closure reads.
///
/// `@unchecked Sendable`: a weak reference is read atomically and never written after `init`. The objects are used as
/// their own API permits.
struct WeakObject<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?
    init(_ object: Object) { self.object = object }
}
