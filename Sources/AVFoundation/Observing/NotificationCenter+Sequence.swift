public import Foundation
public import Playhead

extension NotificationCenter {
    /// The sequence that `notifications(named:object:)` returns.
    public typealias Notifications = NotificationSequence

    // The application may declare the method itself, with another result, so this one is disfavored, like Playhead's. In
    // a file that imports both modules, the compiler prefers the one with an implicitly unwrapped parameter.

    /// Returns the notifications that follow the call as an asynchronous sequence, in order. Foundation does not have the
    /// method on Linux.
    ///
    ///     let center = NotificationCenter.default
    ///     for await _ in center.notifications(named: .AVPlayerItemDidPlayToEndTime, object: item) { player.pause() }
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: The object that posts them, or nil for any object. It is not retained.
    /// - Returns: The sequence, for one reader. It ends when the reader's task is cancelled.
    @_disfavoredOverload
    public func notifications(
        named name: Notification.Name,
        object: (any AnyObject & Sendable)! = nil
    ) -> Notifications { Notifications(self, name, object) }
}
