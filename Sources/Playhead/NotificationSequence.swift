public import Foundation
import MediaCore

/// An asynchronous sequence of notifications, complete and in order, from the creation of the sequence on.
///
/// A sequence is for one reader; create one for each. It ends when the reader's task is cancelled, and stops observing
/// when it is released. It does not retain the object that posts.
public struct NotificationSequence: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Notification
    /// The sequence never throws.
    public typealias Failure = Never

    /// `@unchecked Sendable`: `userInfo` may contain any value, but the values that a player posts are immutable.
    fileprivate struct Posted: @unchecked Sendable { let notification: Notification }

    /// The object whose notifications are delivered.
    private struct Sender: Sendable { weak let object: (any AnyObject & Sendable)? }

    private let stream: AsyncStream<Posted>

    package init(
        _ center: NotificationCenter,
        _ name: Notification.Name,
        _ object: (any AnyObject & Sendable)?
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
        self.stream = stream
        // Foundation retains a sender that it is given.
        let sender = object.map { Sender(object: $0) }
        let observer = Observer(
            center.addObserver(forName: name, object: nil, queue: nil) { notification in
                if let sender {
                    guard let object = sender.object,
                        notification.object.map({ $0 as AnyObject }) === object
                    else { return }
                }
                continuation.yield(Posted(notification: notification))
            },
            center
        )
        continuation.onTermination = { _ in observer.end() }
    }

    /// Returns the iterator for the reader.
    public func makeAsyncIterator() -> Iterator { Iterator(inner: stream.makeAsyncIterator()) }

    /// The iterator of the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var inner: AsyncStream<Posted>.Iterator

        /// Returns the next notification, or nil if the task was cancelled.
        public mutating func next() async -> Notification? { await inner.next()?.notification }

        /// Returns the next notification, or nil if the task was cancelled.
        ///
        /// - Parameter actor: The actor that the call is isolated to.
        ///
        /// - Throws: This implementation does not throw.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> Notification? {
            await inner.next(isolation: actor)?.notification
        }
    }

    /// `@unchecked Sendable`: a notification center and its tokens may be used from any thread.
    private final class Observer: @unchecked Sendable {
        private let token: any NSObjectProtocol
        private let center: NotificationCenter

        init(_ token: any NSObjectProtocol, _ center: NotificationCenter) {
            self.token = token
            self.center = center
        }

        func end() { center.removeObserver(token) }
    }
}

extension NotificationCenter {
    /// Returns a sequence of the notifications with a name. `PlayerItem` and `Player` declare the names.
    ///
    ///     let ends = NotificationCenter.default.notifications(named: PlayerItem.didPlayToEndTime, object: item)
    ///     for await _ in ends { print("played to its end") }
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: The object that posts them, or nil for any object.
    /// - Returns: The sequence.
    @_disfavoredOverload
    public func notifications(
        named name: Notification.Name,
        object: (any AnyObject & Sendable)? = nil
    ) -> NotificationSequence {
        NotificationSequence(self, name, object)
    }
}
