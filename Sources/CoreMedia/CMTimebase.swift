// The names of functions and constants are those of the C API.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The time and the rate of an item, which can be read only. It is the value of `AVPlayerItem.timebase`. All members may be
/// used from any thread.
public final class CMTimebase: Sendable {
    private let readTime: @Sendable () -> CMTime
    private let readRate: @Sendable () -> Double

    package init(time: @escaping @Sendable () -> CMTime, rate: @escaping @Sendable () -> Double) {
        readTime = time
        readRate = rate
    }

    /// The present time.
    public var time: CMTime { readTime() }
    /// The rate at which time advances: 0 while the player is paused, waits or seeks.
    public var rate: Double { readRate() }
    /// The rate at which time advances, which equals `rate`: the clock of the player runs at the rate 1.
    public var effectiveRate: Double { readRate() }
}

/// Returns the present time of a timebase.
///
/// - Parameter timebase: The timebase.
/// - Returns: The time.
public func CMTimebaseGetTime(_ timebase: CMTimebase) -> CMTime { timebase.time }

/// Returns the present time of a timebase in units of a timescale.
///
/// - Parameters:
///   - timebase: The timebase.
///   - timescale: The number of units per second.
///   - method: The way of rounding.
/// - Returns: The time.
public func CMTimebaseGetTimeWithTimeScale(
    _ timebase: CMTimebase,
    timescale: CMTimeScale,
    method: CMTimeRoundingMethod
) -> CMTime { CMTimeConvertScale(timebase.time, timescale: timescale, method: method) }

/// Returns the rate of a timebase.
///
/// - Parameter timebase: The timebase.
/// - Returns: The rate; 0 while time does not advance.
public func CMTimebaseGetRate(_ timebase: CMTimebase) -> Double { timebase.rate }

/// Returns the rate of a timebase relative to the host's clock.
///
/// - Parameter timebase: The timebase.
/// - Returns: The rate; 0 while time does not advance.
public func CMTimebaseGetEffectiveRate(_ timebase: CMTimebase) -> Double { timebase.effectiveRate }

/// The name of the notification that the rate of a timebase has changed. The object is the timebase.
public let kCMTimebaseNotification_EffectiveRateChanged = "kCMTimebaseNotification_EffectiveRateChanged"

/// The name of the notification that the time of a timebase has jumped. The object is the timebase.
public let kCMTimebaseNotification_TimeJumped = "kCMTimebaseNotification_TimeJumped"
