package import MediaCore
package import Synchronization

/// The values that a device's thread and its sink's callers exchange without blocking.
package final class AudioDeviceSignals: Sendable {
    package let timing = PublishedTiming()
    package let flushes = Atomic<Int>(0)
    package let deviceUnderruns = Atomic<Int>(0)
    /// The number of calls of `setPaused`.
    package let pauseCalls = Atomic<Int>(0)
    package let isWaitingForSamples = Atomic<Bool>(false)
    package let deviceDidChange = Atomic<Bool>(false)
    package let titleDidChange = Atomic<Bool>(false)
    /// Whether the device or the connection to its server was lost.
    package let isDisconnected = Atomic<Bool>(false)
    /// The measured time in nanoseconds from starting the stream until its first sample is heard. The initial 40 ms
    /// are typical of servers on ordinary machines.
    package let startDelay = Atomic<Int64>(40_000_000)
    /// The host time in nanoseconds until which the device has already been supplied.
    package let horizon = Atomic<Int64>(.min)
    package let canPlay = Atomic<Bool>(false)
    /// Whether the first attempt to connect is in progress.
    package let isConnecting = Atomic<Bool>(false)
    package let deviceName = Locked<String?>(nil)
    /// The engine's handler for interruptions.
    package let onNotice = Locked<(@Sendable (AudioDeviceNotice) -> Void)?>(nil)
    /// The backend that reads the samples, if several have the same buffer.
    private let reader = Atomic<UInt>(0)
    private let gainBits = Atomic<UInt32>(Float(1).bitPattern)

    package var isPlayable: Bool { canPlay.load(ordering: .relaxed) }
    package var gain: Float {
        get { Float(bitPattern: gainBits.load(ordering: .relaxed)) }
        set { gainBits.store(newValue.bitPattern, ordering: .relaxed) }
    }

    package init() {}

    /// Reserves the samples for one of several readers. Returns false if another one has them.
    package func claim(_ id: ObjectIdentifier) -> Bool {
        let id = UInt(bitPattern: id)
        let (isFree, current) = reader.compareExchange(
            expected: 0,
            desired: id,
            ordering: .acquiringAndReleasing
        )
        return isFree || current == id
    }

    /// Releases the samples, if this reader had reserved them.
    package func release(_ id: ObjectIdentifier) {
        _ = reader.compareExchange(
            expected: UInt(bitPattern: id),
            desired: 0,
            ordering: .acquiringAndReleasing
        )
    }
}
