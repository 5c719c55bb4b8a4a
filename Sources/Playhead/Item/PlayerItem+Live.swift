public import MediaCore

/// What is set about live streams. Nothing that can be opened here is live: a playlist without an end is played as
/// far as it goes when it is opened.
struct LiveSettings: Sendable {
    var offset = MediaTime.invalid
    var preservesOffset = false
    var usesNetworkWhilePaused = false
}

/// Live streams come over a network, which is not built yet: these are kept and copied, and change nothing. From
/// any thread.
extension PlayerItem {
    /// How far behind the live edge to play; `.invalid`: as recommended.
    public var configuredTimeOffsetFromLive: MediaTime {
        get { state.withLock { $0.live.offset } }
        set { state.withLock { $0.live.offset = newValue } }
    }

    /// `.invalid` for what is not live.
    public var recommendedTimeOffsetFromLive: MediaTime { .invalid }

    /// Whether the distance from the live edge is made good after buffering.
    public var automaticallyPreservesTimeOffsetFromLive: Bool {
        get { state.withLock { $0.live.preservesOffset } }
        set { state.withLock { $0.live.preservesOffset = newValue } }
    }

    /// Whether a live stream is kept up to date while paused.
    public var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
        get { state.withLock { $0.live.usesNetworkWhilePaused } }
        set { state.withLock { $0.live.usesNetworkWhilePaused = newValue } }
    }
}
