internal import Glibc
import MediaCore
import PlayheadBackend
internal import Synchronization

/// What the connection's thread and the sink's callers tell each other without waiting.
final class PulseSignals: Sendable {
    let timing = PublishedTiming()
    let flushes = Atomic<Int>(0)
    let serverUnderruns = Atomic<Int>(0)
    /// Calls of `setPaused`.
    let pauseCalls = Atomic<Int>(0)
    let isWaitingForSamples = Atomic<Bool>(false)
    let deviceDidChange = Atomic<Bool>(false)
    let titleDidChange = Atomic<Bool>(false)
    /// There was a server, and it is gone.
    let isDisconnected = Atomic<Bool>(false)
    /// Nanoseconds; learnt. 40 ms is what servers do on ordinary machines.
    let startDelay = Atomic<Int64>(40_000_000)
    /// Host nanoseconds before which the device has nothing to play any more.
    let horizon = Atomic<Int64>(.min)
    let canPlay = Atomic<Bool>(false)
    /// The first attempt is under way.
    let isConnecting = Atomic<Bool>(false)
    let deviceName = Locked<String?>(nil)
    /// The engine's.
    let onNotice = Locked<(@Sendable (AudioDeviceNotice) -> Void)?>(nil)
    private let gainBits = Atomic<UInt32>(Float(1).bitPattern)

    var isPlayable: Bool { canPlay.load(ordering: .relaxed) }
    var gain: Float {
        get { Float(bitPattern: gainBits.load(ordering: .relaxed)) }
        set { gainBits.store(newValue.bitPattern, ordering: .relaxed) }
    }
}
