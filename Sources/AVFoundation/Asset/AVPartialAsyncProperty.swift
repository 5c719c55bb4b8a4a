/// The name of a property of a type.
///
/// `@unchecked Sendable`: its stored property is a constant of a `Sendable` type. It has a subclass with constants too.
public class AVPartialAsyncProperty<Root: AnyObject>: @unchecked Sendable {
    let key: String
    init(key: String) { self.key = key }
}
