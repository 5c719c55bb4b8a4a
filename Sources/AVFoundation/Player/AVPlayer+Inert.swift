import MediaCore

/// Settings of Apple's platforms. They are stored, and have no effect here.
extension AVPlayer {
    /// Whether video may be shown on external displays. Has no effect.
    nonisolated public var allowsExternalPlayback: Bool {
        get { settings.withLock { $0.allowsExternalPlayback } }
        set { settings.withLock { $0.allowsExternalPlayback = newValue } }
    }

    /// Whether video is shown on an external display, which is always false.
    nonisolated public var isExternalPlaybackActive: Bool { false }

    /// Whether external playback is used while an external screen is active. Has no effect.
    nonisolated public var usesExternalPlaybackWhileExternalScreenIsActive: Bool {
        get { settings.withLock { $0.usesExternalScreen } }
        set { settings.withLock { $0.usesExternalScreen = newValue } }
    }

    /// Whether the display stays on during playback. Has no effect.
    nonisolated public var preventsDisplaySleepDuringVideoPlayback: Bool {
        get { settings.withLock { $0.preventsDisplaySleep } }
        set { settings.withLock { $0.preventsDisplaySleep = newValue } }
    }
}
