import MediaCore

/// Settings of Apple's platforms. They are stored, and have no effect here.
extension AVPlayer {
    /// A Boolean value that indicates whether video may be shown on external displays. Has no effect.
    nonisolated public var allowsExternalPlayback: Bool {
        get { settings.withLock { $0.allowsExternalPlayback } }
        set { settings.withLock { $0.allowsExternalPlayback = newValue } }
    }

    /// A Boolean value that indicates whether video is shown on an external display, which is always false.
    nonisolated public var isExternalPlaybackActive: Bool { false }

    /// A Boolean value that indicates whether external playback is used while an external screen is active. Has no
    /// effect.
    nonisolated public var usesExternalPlaybackWhileExternalScreenIsActive: Bool {
        get { settings.withLock { $0.usesExternalScreen } }
        set { settings.withLock { $0.usesExternalScreen = newValue } }
    }

    /// A Boolean value that indicates whether the display stays on during playback. Has no effect.
    nonisolated public var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { settings.withLock { $0.preventsDisplaySleep } }
        set { settings.withLock { $0.preventsDisplaySleep = newValue } }
    }

    /// A Boolean value that indicates whether a display can show a high dynamic range, which is always false: layers show
    /// it as SDR.
    nonisolated public class var eligibleForHDRPlayback: Bool { false }

    /// Whether video continues when the application leaves the foreground. Has no effect: there is no background.
    nonisolated public var audiovisualBackgroundPlaybackPolicy: AVPlayerAudiovisualBackgroundPlaybackPolicy {
        get { settings.withLock { $0.backgroundPolicy } }
        set { settings.withLock { $0.backgroundPolicy = newValue } }
    }
}
