public import Foundation

/// The description of what is playing. It is stored, and shown nowhere: there is no lock screen.
///
/// All members may be used from any thread.
///
/// `@unchecked Sendable`: the lock guards the stored values.
public final class MPNowPlayingInfoCenter: NSObject, @unchecked Sendable {
    private static let center = MPNowPlayingInfoCenter()
    private let lock = NSLock()
    private var info: [String: Any]?
    private var state = MPNowPlayingPlaybackState.unknown

    private override init() { super.init() }

    /// Returns the center.
    ///
    /// - Returns: The center of the process.
    public class func `default`() -> MPNowPlayingInfoCenter { center }

    /// The description by the keys of media items and of now playing info, or nil. Has no effect.
    public var nowPlayingInfo: [String: Any]? {
        get { lock.withLock { info } }
        set { lock.withLock { info = newValue } }
    }

    /// The state of playback. Has no effect.
    public var playbackState: MPNowPlayingPlaybackState {
        get { lock.withLock { state } }
        set { lock.withLock { state = newValue } }
    }
}
