import FFmpeg
import Logging
public import MediaCore
import PlaybackEngine
public import PlayheadBackend

/// The clock of a player.
public enum ClockMode: Sendable {
    /// The monotonic clock of the host.
    case host
    /// A clock that jumps to the next due time. Playback is as fast as possible and drops nothing; events and frames
    /// are the same in every run. Each player has a clock of its own; `virtual(_:)` shares one.
    case virtual
    /// A clock of the application. Timers still use the clock of the host.
    case custom(any HostClock)
    /// A driver of the application, which decides when the stages run; see `PlayheadTesting.ManualDriver`.
    case driver(any Driver)
}

extension ClockMode {
    /// Returns the mode of a virtual clock that several players share; see `VirtualClock`.
    ///
    /// - Parameter clock: The clock.
    /// - Returns: The mode: `driver(_:)` with the driver of the clock.
    public static func virtual(_ clock: VirtualClock) -> ClockMode { .driver(clock.driver) }

    func makeDriver() -> any Driver {
        switch self {
        case .host: PoolDriver()
        case .virtual: VirtualDriver()
        case .custom(let clock): PoolDriver(clock: clock)
        case .driver(let driver): driver
        }
    }
}
