// The names are those of the C functions.
// swift-format-ignore-file: AlwaysUseLowerCamelCase, DontRepeatTypeInStaticProperties

internal import MediaCore

/// A clock that can be read: the machine's monotonic clock, which is the clock of players. All members may be used from
/// any thread.
public final class CMClock: Sendable {
    private init() {}

    /// The machine's monotonic clock.
    public static let hostTimeClock = CMClock()

    /// The present time in nanoseconds, as `AVPlayer.setRate(_:time:atHostTime:)` takes it.
    public var time: CMTime { CMTime(MediaTime(SystemClock().now)) }
}

/// Returns the machine's monotonic clock.
///
/// - Returns: The clock.
public func CMClockGetHostTimeClock() -> CMClock { .hostTimeClock }

/// Returns the present time of a clock.
///
/// - Parameter clock: The clock.
/// - Returns: The time in nanoseconds.
public func CMClockGetTime(_ clock: CMClock) -> CMTime { clock.time }
