internal import Glibc
import MediaCore
import PlayheadBackend
internal import Synchronization

/// The values that the connection's thread and the sink's callers exchange without blocking.
final class PulseSignals: Sendable {
    let timing = PublishedTiming()
    let flushes = Atomic<Int>(0)
    let serverUnderruns = Atomic<Int>(0)
    /// The number of calls of `setPaused`.
    let pauseCalls = Atomic<Int>(0)
    let isWaitingForSamples = Atomic<Bool>(false)
    let deviceDidChange = Atomic<Bool>(false)
    let titleDidChange = Atomic<Bool>(false)
    /// Whether the connection to a server was lost.
    let isDisconnected = Atomic<Bool>(false)
    /// The measured time in nanoseconds from starting the stream until its first sample is heard. The initial 40 ms
    /// are typical of servers on ordinary machines.
    let startDelay = Atomic<Int64>(40_000_000)
    /// The host time in nanoseconds until which the device has already been supplied.
    let horizon = Atomic<Int64>(.min)
    let canPlay = Atomic<Bool>(false)
    /// Whether the first attempt to connect is in progress.
    let isConnecting = Atomic<Bool>(false)
    let deviceName = Locked<String?>(nil)
    /// The engine's handler for interruptions.
    let onNotice = Locked<(@Sendable (AudioDeviceNotice) -> Void)?>(nil)
    private let gainBits = Atomic<UInt32>(Float(1).bitPattern)

    var isPlayable: Bool { canPlay.load(ordering: .relaxed) }
    var gain: Float {
        get { Float(bitPattern: gainBits.load(ordering: .relaxed)) }
        set { gainBits.store(newValue.bitPattern, ordering: .relaxed) }
    }
}
