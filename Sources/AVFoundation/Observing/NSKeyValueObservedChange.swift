public import Foundation

/// A change of an observed property.
public struct NSKeyValueObservedChange<Value> {
    /// The kind of a change.
    public typealias Kind = NSKeyValueChange

    /// The kind of the change, which is always `.setting`.
    public let kind: Kind
    /// The value after the change; nil without `.new`, and in a prior call.
    public let newValue: Value?
    /// The value before the change; nil without `.old`, and in the first call that `.initial` requests.
    public let oldValue: Value?
    /// The indexes of a change of a collection, which is always nil.
    public let indexes: IndexSet?
    /// A Boolean value that indicates whether this is the call that `.prior` requests.
    public let isPrior: Bool

    init(new: Value?, old: Value?, isPrior: Bool = false) {
        kind = .setting
        newValue = new
        oldValue = old
        indexes = nil
        self.isPrior = isPrior
    }
}
