public import MediaCore
import PlaybackEngine
import PlayheadBackend

extension Player {
    /// The present time of the player's clock. `setRate(_:time:atHostTime:)`, `PlayerVideoOutput` and
    /// `TimedPlayerEvent.hostTime` use this clock. Only differences of its times are meaningful. The property may be
    /// read from any thread.
    ///
    ///     player.setRate(1, time: .zero, atHostTime: (player.hostTime + .milliseconds(500)).mediaTime)
    public var hostTime: HostTime { core.driver.clock.now }
}

extension HostTime {
    /// The host time as a `MediaTime` in nanoseconds.
    public var mediaTime: MediaTime { MediaTime(value: nanoseconds, timescale: 1_000_000_000) }

    /// Creates a host time from a `MediaTime`. The result is nil if the time is not numeric or out of range.
    ///
    /// - Parameter time: The time on the clock.
    public init?(_ time: MediaTime) {
        guard let nanoseconds = time.nanoseconds else { return nil }
        self.init(nanoseconds: nanoseconds)
    }
}
