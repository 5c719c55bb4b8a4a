internal import MediaCore
internal import Synchronization

/// The newest playback position, published by the device's thread and read on any thread, without a lock on either
/// side.
///
/// A sequence number is odd during an update. A reader that overlaps with an update tries again.
package final class PublishedTiming: Sendable {
    private let sequence = Atomic<UInt64>(0)
    private let frame = Atomic<Int64>(0)
    private let heardAt = Atomic<Int64>(0)
    private let measuredAt = Atomic<Int64>(0)
    private let flushes = Atomic<Int>(0)
    private let isValid = Atomic<Bool>(false)

    /// Publishes a position. Called on the device's thread only.
    package func publish(_ position: AudioDevicePosition) {
        sequence.add(1, ordering: .acquiringAndReleasing)
        frame.store(position.frame, ordering: .relaxed)
        heardAt.store(position.heardAt.nanoseconds, ordering: .relaxed)
        measuredAt.store(position.measuredAt.nanoseconds, ordering: .relaxed)
        flushes.store(position.flushes, ordering: .relaxed)
        isValid.store(true, ordering: .relaxed)
        sequence.add(1, ordering: .acquiringAndReleasing)
    }

    /// Removes the position. Called on the device's thread only.
    package func invalidate() {
        sequence.add(1, ordering: .acquiringAndReleasing)
        isValid.store(false, ordering: .relaxed)
        sequence.add(1, ordering: .acquiringAndReleasing)
    }

    /// The newest position; nil if there is none.
    package var position: AudioDevicePosition? {
        // An update takes nanoseconds unless its thread is preempted. The next call then reads the position.
        for _ in 0..<64 {
            let before = sequence.load(ordering: .acquiring)
            guard before % 2 == 0 else { continue }
            let position = AudioDevicePosition(
                frame: frame.load(ordering: .relaxed),
                heardAt: HostTime(nanoseconds: heardAt.load(ordering: .relaxed)),
                measuredAt: HostTime(nanoseconds: measuredAt.load(ordering: .relaxed)),
                flushes: flushes.load(ordering: .relaxed)
            )
            let isValid = isValid.load(ordering: .relaxed)
            atomicMemoryFence(ordering: .acquiring)
            if sequence.load(ordering: .relaxed) == before { return isValid ? position : nil }
        }
        return nil
    }
}
