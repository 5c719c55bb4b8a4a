import MediaCore
import PlayheadBackend

/// Runs the taps that look on, on a lane of their own, so that a slow one holds up nothing.
final class AudioMeters: Sendable {
    private let lane: any Lane
    private let isRealTime: Bool
    private let waiting = Locked(0)
    /// Buffers that may wait in real time.
    private static let depth = 32

    init(driver: any Driver) {
        lane = driver.makeLane(.presenting, label: "meters")
        isRealTime = driver.isRealTime
    }

    func hand(_ buffer: AudioBuffer, to body: @escaping @Sendable (AudioBuffer) -> Void) {
        let isTaken = waiting.withLock { waiting in
            if isRealTime, waiting >= Self.depth { return false }
            waiting += 1
            return true
        }
        guard isTaken else { return }
        lane.enqueue { [self] in
            body(buffer.inFloats)
            waiting.withLock { $0 -= 1 }
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
