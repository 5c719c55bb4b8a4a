import AVFoundation

typealias NSObject = KeyValueObserver

/// Observes an item by string, with the code that an app for iPhones has.
final class StatusObserver: NSObject {
    override func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard keyPath == "status", let item = object as? AVPlayerItem else { return }
        print("status", item.status.rawValue)
    }
}
