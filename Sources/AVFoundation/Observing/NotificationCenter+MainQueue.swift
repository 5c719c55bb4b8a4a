public import Foundation

extension NotificationCenter {
    /// Adds an observer that is called by a block. The compiler prefers this method to Foundation's.
    ///
    /// For `OperationQueue.main`, a notification that is posted on the main queue is delivered at once, and one that is posted
    /// elsewhere is delivered on the main queue later. Foundation's method waits for the main queue instead, also on that
    /// queue itself if it does not run on the main thread, as with an `async` main function: the program would stop. Other
    /// queues are passed to Foundation.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications, or nil for all.
    ///   - object: The object that posts, or nil for any. It is not retained, unless the queue is one that is passed to
    ///     Foundation.
    ///   - queue: The queue on which the block is called, or nil for the thread that posts.
    ///   - block: Called with each notification.
    /// - Returns: The observer for `removeObserver(_:)`.
    @preconcurrency
    public func addObserver(
        forName name: NSNotification.Name?,
        object: AnyObject?,
        queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        guard queue == nil || queue === OperationQueue.main else {
            return addObserver(forName: name, object: object as Any?, queue: queue, using: block)
        }
        let isForMainQueue = queue != nil
        // Foundation retains a sender that it is given.
        let sender = object.map { WeakObject($0) }
        return addObserver(forName: name, object: nil as Any?, queue: nil) { notification in
            if let sender {
                guard let object = sender.object, notification.object.map({ $0 as AnyObject }) === object
                else {
                    return
                }
            }
            guard isForMainQueue else { return block(notification) }
            // A notification is immutable.
            nonisolated(unsafe) let notification = notification
            MainQueue.run { block(notification) }
        }
    }
}
