import MediaCore
import PlayheadBackend

/// The position of the device, and corrections of it.
extension AudioOutputLane {
    /// Returns the earliest point at which the playing device can change its rate, or nil if no device plays.
    func rateChangePoint(at now: HostTime, epoch: Epoch) -> RateChangePoint? {
        guard let device, let position = device.position,
            now.nanoseconds(since: position.measuredAt) < Self.maximumReadingAge
        else { return nil }
        let late = max(0, now.nanoseconds(since: position.heardAt))
        return scheduler?.sampleMap.withLock { sampleMap in
            guard position.flushes == sampleMap.flushCount, sampleMap.epoch == epoch else { return nil }
            let frame = min(
                position.frame.addingClamped(
                    sampleMap.frames(in: late.addingClamped(Self.rateChangeMargin))
                ),
                sampleMap.frameCount
            )
            return sampleMap.media(of: frame).map {
                RateChangePoint(frame: frame, flushCount: sampleMap.flushCount, media: $0)
            }
        }
    }

    /// Returns a reading of the device, or nil if it plays nothing or only what was written before the last
    /// flush.
    func reading(at now: HostTime) -> AudioClockReading? {
        guard let scheduler, let position = scheduler.device.position,
            now.nanoseconds(since: position.measuredAt) < Self.maximumReadingAge
        else { return nil }
        let underruns = scheduler.device.underruns
        return scheduler.sampleMap.withLock { sampleMap in
            guard position.flushes == sampleMap.flushCount else { return nil }
            let late = max(0, now.nanoseconds(since: position.heardAt))
            guard let media = sampleMap.media(of: position.frame.addingClamped(sampleMap.frames(in: late)))
            else {
                return nil
            }
            return AudioClockReading(
                media: media,
                host: position.heardAt.advanced(by: late),
                latency: position.heardAt.nanoseconds(since: position.measuredAt),
                underruns: underruns,
                epoch: sampleMap.epoch
            )
        }
    }

    /// Skips this many nanoseconds of audio, or inserts silence if the value is negative.
    func move(by nanoseconds: Int64) {
        guard let scheduler else { return }
        let frames = scheduler.sampleMap.withLock { $0.frames(in: nanoseconds) }
        enqueue { scheduler.device.skip(frames) }
    }

    func setDevice(_ uniqueID: String?) {
        guard let device else { return }
        enqueue { device.setDevice(uniqueID) }
    }

    /// The age from which on a reading of the device is obsolete: 500 ms.
    private static let maximumReadingAge: Int64 = 500_000_000
    /// The time in which the device may take more samples before this lane is informed: 40 ms.
    private static let rateChangeMargin: Int64 = 40_000_000
}
