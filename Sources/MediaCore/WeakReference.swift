/// A weak reference, for collections whose elements must not be retained.
package struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    /// The object, or nil once it has been deallocated.
    package weak let object: Object?

    package init(_ object: Object) { self.object = object }
}
