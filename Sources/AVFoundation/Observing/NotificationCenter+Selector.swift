public import Foundation

extension NotificationCenter {
    /// Adds an observer that is called by a method on the thread that posts. It is not retained, and need not be removed.
    ///
    /// - Parameters:
    ///   - observer: The object whose method is called.
    ///   - selector: The method: `Selector(Controller.didPlayToEnd(_:))`.
    ///   - name: The name of the notifications, or nil for all.
    ///   - object: The object that posts, or nil for any.
    public func addObserver(
        _ observer: AnyObject,
        selector: Selector,
        name: NSNotification.Name?,
        object: Any?
    ) {
        SelectorObserver.add(observer, selector, self, name, object.map { $0 as AnyObject })
    }

    /// Removes all observers that an object has added, or the observer that a token identifies.
    ///
    /// - Parameter observer: The object, or a token of `addObserver(forName:object:queue:using:)`.
    public func removeObserver(_ observer: AnyObject) {
        SelectorObserver.remove(observer, self)
        removeObserver(observer as Any)
    }

    /// Removes the observers that an object has added for a name and an object.
    ///
    /// - Parameters:
    ///   - observer: The object, or a token of `addObserver(forName:object:queue:using:)`.
    ///   - name: The name of the notifications, or nil for any.
    ///   - object: The object that posts, or nil for any.
    public func removeObserver(_ observer: AnyObject, name: NSNotification.Name?, object: Any?) {
        SelectorObserver.remove(observer, self, name, object.map { $0 as AnyObject })
        // A token identifies one observer. Its object may not have been passed to Foundation.
        removeObserver(observer as Any, name: name, object: nil)
    }
}
