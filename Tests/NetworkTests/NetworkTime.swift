import Dispatch
import MediaCore

@testable import Network

/// The time of a network stack of its own, which moves only when a test moves it.
struct NetworkTime {
    private let clock = ManualClock()
    let loop: TransferLoop

    init() { loop = TransferLoop(clock: clock) }

    /// Moves the time, and returns after the network has noticed it.
    func advance(seconds: Double) throws(MediaError) {
        clock.advance(to: clock.now.advanced(by: Int64(seconds * 1_000_000_000)))
        let semaphore = DispatchSemaphore(value: 0)
        try loop.call(after: 0) { semaphore.signal() }
        semaphore.wait()
    }
}
