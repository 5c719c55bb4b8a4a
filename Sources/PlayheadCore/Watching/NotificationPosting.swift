/// Posts notifications on a notification center.
///
/// Notification centers are a part of the whole of Foundation, which the modules of the command do not import.
/// The module `Playhead` makes `DefaultNotifications` conform. A program that contains that module therefore posts
/// notifications, and any other one does not, without a call or a setting.
package protocol NotificationPosting: Sendable {
    /// Posts the notification of an event, if it has one. Called on the callback queue.
    static func post(_ event: PlayerEvent, player: Player?)
}

/// The notifications of players that no `EventPoster` represents.
package enum DefaultNotifications {
    /// Nil in a program without the module `Playhead`.
    static let poster = DefaultNotifications.self as? any NotificationPosting.Type
}
