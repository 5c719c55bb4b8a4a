public import Foundation
import MediaCore

/// Notifications as they are posted, in their order and without a gap, from the moment on at which the sequence was
/// made. For one reader; several take one each. It ends with the task that reads, and lets go when it is released.
public struct NotificationSequence: AsyncSequence, Sendable {
    public typealias Element = Notification
    public typealias Failure = Never

    /// `@unchecked Sendable`: `userInfo` can hold anything, but what the player posts never changes.
    fileprivate struct Posted: @unchecked Sendable { let notification: Notification }

    private let stream: AsyncStream<Posted>

    init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
        let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
        self.stream = stream
        let observer = Observer(
            center.addObserver(forName: name, object: object, queue: nil) {
                continuation.yield(Posted(notification: $0))
            },
            center
        )
        continuation.onTermination = { _ in observer.end() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(inner: stream.makeAsyncIterator()) }

    /// Waits for the next notification.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var inner: AsyncStream<Posted>.Iterator

        public mutating func next() async -> Notification? { await inner.next()?.notification }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> Notification? {
            await inner.next(isolation: actor)?.notification
        }
    }

    /// `@unchecked Sendable`: a center and its tokens may be used by any thread.
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
    /// What is posted under `name` by `object`; nil: by all. `PlayerItem` and `Player` have the names.
    ///
    ///     for await _ in NotificationCenter.default.notifications(named: PlayerItem.didPlayToEndTime, object: item) {
    ///         print("played to its end")
    ///     }
    @_disfavoredOverload
    public func notifications(
        named name: Notification.Name,
        object: (any AnyObject & Sendable)? = nil
    ) -> NotificationSequence {
        NotificationSequence(self, name, object)
    }
}
