import MediaCore
import PlayheadBackend
import Synchronization

/// Grants a decode stage steps to decode ahead of need, while no player has urgent work.
///
/// The stage takes steps on its decoding lane. They are granted on a lane with the lowest priority, because work on a
/// decoding lane counts as urgent itself.
final class DecodeAhead: Sendable {
    private let driver: any Driver
    private let lane: any Lane
    private let isEnabled = Atomic<Bool>(false)
    private let grantedSteps = Atomic<Int>(0)
    /// True from a request for steps until they are granted.
    private let isRequested = Atomic<Bool>(false)
    private let wake = SettableCallback()

    /// The number of steps that are granted at a time: two or three packets. Work that becomes urgent meanwhile is
    /// delayed by at most that much.
    private static let stepsPerGrant = 8
    /// The interval in nanoseconds at which it is checked whether the urgent work is done.
    private static let checkInterval: Int64 = 2_000_000

    init(driver: any Driver, label: String) {
        self.driver = driver
        lane = driver.makeLane(.blockingIO, label: label)
    }

    /// Sets the closure that wakes the stage. Any thread.
    func setWake(_ wake: @escaping @Sendable () -> Void) { self.wake.set(wake) }

    /// Allows or forbids decoding ahead. Any thread.
    func setEnabled(_ isEnabled: Bool) {
        let wasEnabled = self.isEnabled.exchange(isEnabled, ordering: .acquiringAndReleasing)
        if isEnabled, !wasEnabled { wake() }
    }

    /// Forbids decoding ahead, and releases the stage. Any thread.
    func cancel() {
        isEnabled.store(false, ordering: .releasing)
        wake.clear()
    }

    /// Takes a step that has been granted. If there is none, steps are requested, and the stage is woken when they
    /// have been granted. Called on the decoding lane.
    func takeStep() -> Bool {
        guard isEnabled.load(ordering: .acquiring) else { return false }
        let count = grantedSteps.load(ordering: .acquiring)
        guard count == 0 else {
            grantedSteps.store(count - 1, ordering: .releasing)
            return true
        }
        if !isRequested.exchange(true, ordering: .acquiringAndReleasing) {
            lane.enqueue { [weak self] in self?.grant() }
        }
        return false
    }

    private func grant() {
        guard isEnabled.load(ordering: .acquiring) else {
            return isRequested.store(false, ordering: .releasing)
        }
        guard !driver.hasUrgentWork else {
            let time = driver.clock.now.advanced(by: Self.checkInterval)
            _ = driver.schedule(at: time, on: lane) { [weak self] in self?.grant() }
            return
        }
        grantedSteps.store(Self.stepsPerGrant, ordering: .releasing)
        isRequested.store(false, ordering: .releasing)
        wake()
    }
}
