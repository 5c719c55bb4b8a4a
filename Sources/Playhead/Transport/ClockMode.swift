import Dispatch
import FFmpeg
import Logging
public import MediaCore
import PlaybackEngine
public import PlayheadBackend

/// Which clock a player follows.
public enum ClockMode: Sendable {
    /// The machine's monotonic clock.
    case host
    /// Jumps to the next due moment: as fast as the machine can, nothing dropped, and the same events and
    /// frames every time.
    case virtual
    /// Time from a clock of the caller's; timers still run on the machine's.
    case custom(any HostClock)
    /// The caller decides when the stages run; see `PlayheadTesting.ManualDriver`.
    case driver(any Driver)
}

extension ClockMode {
    func makeDriver() -> any Driver {
        switch self {
        case .host: PoolDriver()
        case .virtual: VirtualDriver()
        case .custom(let clock): PoolDriver(clock: clock)
        case .driver(let driver): driver
        }
    }
}
