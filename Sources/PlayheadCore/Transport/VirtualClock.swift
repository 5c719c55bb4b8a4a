public import MediaCore
package import PlaybackEngine
import PlayheadBackend

/// A virtual clock that several players share, so that they play in step offline: as fast as possible, without lost
/// frames, and with the same frames and events in the same order in every run.
///
///     let clock = VirtualClock()
///     let players = clock.hold {
///         let players = urls.map { Player(url: $0, configuration: .offline(clock: clock)) }
///         for player in players { player.play() }
///         return players
///     }
///
/// Time is stopped while one of the players opens, reads, decodes, delivers to a sink or runs a callback. It then jumps
/// to the next time at which one of them is due. A player that waits for bytes therefore holds the others. A player that
/// is paused, has ended, has no item or has failed holds nothing. A player that is shut down or released leaves the
/// clock, and its reads end at once.
///
/// Pass the clock to players with `ClockMode.virtual(_:)` or `Player.Configuration.offline(audio:clock:)`, and to
/// everything else that follows their time, such as a `CompositeSink`, with `ClockMode.virtual(_:)`. A player may join at
/// any time. All members may be used from any thread.
public final class VirtualClock: Sendable {
    package let driver = VirtualDriver()

    /// Creates a clock at the time `HostTime.zero`.
    public init() {}

    /// The present time, which is the `Player.hostTime` of each player on the clock.
    public var now: HostTime { driver.clock.now }

    /// Calls a closure while the clock is held: no time passes, and no work of the players begins.
    ///
    /// The requests that the closure makes of several players are carried out afterwards, at one time, in the order of the calls.
    /// Players that are created and started in it give the same result in every run. In a callback of a player on the
    /// clock no time passes either, and the method is not needed.
    ///
    /// - Parameter body: The closure. It must not wait for a player.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    public func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try driver.hold(body)
    }
}
