import AVFoundation
import Playhead
import Testing

extension NotificationCenter {
    /// A declaration of an application, for systems whose Foundation lacks the method.
    fileprivate func notifications(
        named name: Notification.Name,
        object: AnyObject? = nil
    ) -> [Notification.Name] { [name] }
}

@Suite("Notifications as asynchronous sequences: a method of the application")
struct OwnNotificationsTests {
    @Test("A method of the application takes precedence over those of the modules")
    func precedence() {
        let own = NotificationCenter().notifications(named: .AVPlayerItemTimeJumped)
        #expect(own == [.AVPlayerItemTimeJumped])
    }
}
