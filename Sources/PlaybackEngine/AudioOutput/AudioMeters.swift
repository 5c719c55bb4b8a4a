import MediaCore
import PlayheadBackend

/// Runs the taps that look on, on a lane of their own, so that a slow one holds up nothing.
final class AudioMeters: Sendable {
    private let lane: any Lane
    private let isRealTime: Bool
    private let pendingCount = Locked(0)
    /// Buffers that may wait in real time.
    private static let maximumPendingBuffers = 32

    init(driver: any Driver) {
        lane = driver.makeLane(.output, label: "meters")
        isRealTime = driver.isRealTime
    }

    func deliver(_ buffer: AudioBuffer, to body: @escaping @Sendable (AudioBuffer) -> Void) {
        let isAccepted = pendingCount.withLock { pendingCount in
            if isRealTime, pendingCount >= Self.maximumPendingBuffers { return false }
            pendingCount += 1
            return true
        }
        guard isAccepted else { return }
        lane.enqueue { [self] in
            body(buffer.inFloats)
            pendingCount.withLock { $0 -= 1 }
        }
    }
}

extension AudioBuffer {
    /// The same as planar floats; itself where it is that already.
    fileprivate var inFloats: AudioBuffer {
        guard format.sampleFormat != .floatPlanar else { return self }
        var format = format
        format.sampleFormat = .floatPlanar
        return AudioBuffer(
            floatChannels: floatChannels,
            format: format,
            presentationTime: presentationTime,
            rate: rate,
            epoch: epoch,
            pass: pass
        )
    }
}
