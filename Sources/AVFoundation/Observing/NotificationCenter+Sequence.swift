public import Foundation
internal import Playhead

extension NotificationCenter {
    /// The asynchronous sequence that `notifications(named:object:)` returns.
    ///
    /// A sequence is for one reader. It ends when the reader's task is cancelled.
    public struct Notifications: AsyncSequence, Sendable {
        /// The elements of the sequence.
        public typealias Element = Notification
        /// The sequence never throws.
        public typealias Failure = Never

        fileprivate let base: NotificationSequence

        /// Returns the iterator for the reader.
        public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

        /// The iterator of the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var base: NotificationSequence.Iterator

            /// Returns the next notification, or nil if the task was cancelled.
            public mutating func next() async -> Notification? { await base.next() }

            /// Returns the next notification, or nil if the task was cancelled.
            ///
            /// - Parameter actor: The actor that the call is isolated to.
            ///
            /// - Throws: This implementation does not throw.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(Never) -> Notification? {
                await base.next(isolation: actor)
            }
        }
    }

    // The application may declare the method itself, with another result, so this one is disfavored, like Playhead's. In
    // a file that imports both modules, the compiler prefers the one with an implicitly unwrapped parameter.

    /// Returns the notifications that follow the call as an asynchronous sequence, in order. Foundation does not have the
    /// method on Linux.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: The object that posts them, or nil for any object. It is not retained.
    /// - Returns: The sequence, for one reader. It ends when the reader's task is cancelled.
    @_disfavoredOverload
    public func notifications(
        named name: Notification.Name,
        object: (any AnyObject & Sendable)! = nil
    ) -> Notifications { Notifications(base: NotificationSequence(self, name, object)) }
}
