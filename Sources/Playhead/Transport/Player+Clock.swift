public import MediaCore
import PlaybackEngine
import PlayheadBackend

extension Player {
    /// The player's clock now: what `setRate(_:time:atHostTime:)` and `PlayerVideoOutput` are given, and what
    /// `TimedPlayerEvent.hostTime` tells. Only differences mean anything. Any thread.
    ///
    ///     player.setRate(1, time: .zero, atHostTime: player.hostTime.advanced(by: 500_000_000).mediaTime)
    public var hostTime: HostTime { core.driver.clock.now }
}

extension HostTime {
    /// The same as a time, in nanoseconds.
    public var mediaTime: MediaTime { MediaTime(value: nanoseconds, timescale: 1_000_000_000) }

    /// nil for a time that is no number, or too far off.
    public init?(_ time: MediaTime) {
        guard let nanoseconds = time.nanoseconds else { return nil }
        self.init(nanoseconds: nanoseconds)
    }
}
