import HLS
public import MediaCore

/// Settings for live streams.
struct LiveSettings: Sendable {
    var offset = MediaTime.invalid
    var preservesOffset = false
}

/// Live streams: HLS playlists over a network that have no end yet.
///
/// The timeline of a live stream begins with the first segment of its playlist when the asset is opened first, so the
/// current time is not zero when playback begins. `seekableTimeRanges` is the range of the segments that the server
/// offers. The live edge is its end. All members may be used from any thread.
extension PlayerItem {
    /// The offset from the live edge at which to play. `.invalid`, the default, selects the recommended offset.
    ///
    /// Playback begins with the segment that contains this offset when the item is opened. Without it, playback begins
    /// at the preferred start of the playlist (`EXT-X-START`). If there is none, an `EVENT` playlist begins with its
    /// first segment, and others at the recommended offset. A seek to `.positiveInfinity`, or to the end of the
    /// seekable range or after it, moves to this offset. A change takes effect with the next of these. An offset that
    /// is smaller than the recommended one makes stalls likely.
    public var configuredTimeOffsetFromLive: MediaTime {
        get { state.withLock { $0.live.offset } }
        set { state.withLock { $0.live.offset = newValue } }
    }

    /// The recommended offset from the live edge: the `HOLD-BACK` of the playlist, or three target durations. `.invalid`
    /// until the item is ready, and if it is not live.
    public var recommendedTimeOffsetFromLive: MediaTime {
        guard status == .readyToPlay, let (window, _) = asset.liveWindow, !window.hasEnded else {
            return .invalid
        }
        return window.recommendedOffset
    }

    /// A Boolean value that indicates whether the offset from the live edge is restored after a pause or a stall. The
    /// default is false.
    ///
    /// If the offset has grown by more than a target duration since playback was paused or stalled, playback continues at
    /// the offset that it had then, but not nearer to the edge than `configuredTimeOffsetFromLive`, or the recommended
    /// offset. The jump is reported like that of a seek. After a seek that was made meanwhile, playback continues where it
    /// was sought to. Regardless of this property, playback continues at the configured or recommended offset if the
    /// segments at the current position are no longer offered.
    public var automaticallyPreservesTimeOffsetFromLive: Bool {
        get { state.withLock { $0.live.preservesOffset } }
        set { state.withLock { $0.live.preservesOffset = newValue } }
    }

    /// Returns the target of a seek in a live item: a target beyond the window is moved into it. Nil if the item is not
    /// live.
    func liveTarget(of time: MediaTime) -> MediaTime? {
        guard let (window, now) = asset.liveWindow, !window.hasEnded else { return nil }
        if time < window.range.end { return max(time, window.range.start) }
        return window.livePosition(offset: configuredOffset, at: now)
    }

    /// Returns whether a seek to a later time would move back. Past the window, a seek moves to the offset from the live
    /// edge, and a position may be nearer to the edge.
    package func movesBack(from time: MediaTime, seekingTo target: MediaTime) -> Bool {
        guard target > time, !duration.isNumeric, let found = liveTarget(of: target) else { return false }
        return found < time
    }

    /// Returns the position at which a live item continues after a pause or a stall, or nil if it continues where it is.
    ///
    /// - Parameters:
    ///   - time: The position at which it has stopped.
    ///   - offset: The offset from the live edge at which it has stopped, or nil if it was sought since.
    func liveResumePosition(after time: MediaTime, stoppedAt offset: MediaTime?) -> MediaTime? {
        guard status == .readyToPlay, time.isNumeric, let (window, now) = asset.liveWindow else { return nil }
        let offset = automaticallyPreservesTimeOffsetFromLive ? offset : nil
        let least = configuredOffset ?? window.recommendedOffset
        return window.resumePosition(
            after: time,
            offset: offset.map { max($0, least) } ?? least,
            preservesOffset: offset != nil,
            at: now
        )
    }

    /// Returns the offset of a time from the live edge, or nil if the item is not live.
    func liveOffset(at time: MediaTime) -> MediaTime? {
        guard time.isNumeric, let (window, now) = asset.liveWindow, !window.hasEnded else { return nil }
        return window.estimatedRange(at: now).end - time
    }

    private var configuredOffset: MediaTime? {
        let offset = configuredTimeOffsetFromLive
        return offset.isNumeric ? offset : nil
    }
}
