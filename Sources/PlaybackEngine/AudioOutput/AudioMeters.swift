import MediaCore
import PlayheadBackend

/// Runs the metering taps on a lane of their own, so that a slow tap delays nothing else.
final class AudioMeters: Sendable {
    private let lane: any Lane
    private let isRealTime: Bool
    private let pendingCount = Locked(0)
    /// The largest number of buffers that wait in real time. Further ones are dropped.
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
    /// The buffer as planar floats, or the buffer itself if it is in that format.
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
