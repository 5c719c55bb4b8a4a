public import MediaCore

/// Settings for live streams. They are stored and copied, and have no effect yet.
struct LiveSettings: Sendable {
    var offset = MediaTime.invalid
    var preservesOffset = false
    var usesNetworkWhilePaused = false
}

/// Settings for live streams (HLS playlists without an end).
///
/// A live stream that is read over a network starts three target durations before the end of its playlist (RFC 8216,
/// section 6.3.3), and its playlist is reloaded as it grows. These settings are stored and copied with the item, and
/// have no effect yet. All members may be used from any thread.
extension PlayerItem {
    /// The offset from the live edge at which to play. `.invalid`, the default, selects the recommended offset. Has no
    /// effect yet.
    public var configuredTimeOffsetFromLive: MediaTime {
        get { state.withLock { $0.live.offset } }
        set { state.withLock { $0.live.offset = newValue } }
    }

    /// The recommended offset from the live edge. Always `.invalid` at present.
    public var recommendedTimeOffsetFromLive: MediaTime { .invalid }

    /// A Boolean value that indicates whether the offset from the live edge is restored after buffering. Has no effect
    /// yet.
    public var automaticallyPreservesTimeOffsetFromLive: Bool {
        get { state.withLock { $0.live.preservesOffset } }
        set { state.withLock { $0.live.preservesOffset = newValue } }
    }

    /// A Boolean value that indicates whether a live stream is kept up to date while the player is paused. Has no
    /// effect yet.
    public var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
        get { state.withLock { $0.live.usesNetworkWhilePaused } }
        set { state.withLock { $0.live.usesNetworkWhilePaused = newValue } }
    }
}
