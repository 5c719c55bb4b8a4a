internal import CPulse
internal import Glibc
internal import MediaCore
internal import PlayheadBackend
internal import Synchronization

/// The time at which written samples are heard, as far as the server reports it.
extension PulseStream {
    /// Requests a new measurement from the server.
    func requestTimingUpdate() {
        let me = Unmanaged.passUnretained(self).toOpaque()
        let operation = library.functions.stream_update_timing_info(stream, Self.remeasured, me)
        if measurements.add(operation, library) { pendingMeasurements += 1 }
    }

    /// Publishes the next sample to be written and the time at which it will be heard.
    func measure() {
        updateHorizon()
        guard !isCorked, !isSuspended, pendingMeasurements == 0, let next = ring.next,
            let info = library.functions.stream_get_timing_info(stream)?.pointee,
            Self.microseconds(info.timestamp) >= timingIsValidFrom, let latency = latency(info)
        else { return }
        let now = owner.clock.now
        let heardAt = now.advanced(by: latency * 1000)
        updateStartDelay(next.frame, heardAt)
        signals.timing.publish(
            AudioDevicePosition(frame: next.frame, heardAt: heardAt, measuredAt: now, flushes: next.flushes)
        )
    }

    /// Returns the time until the next written sample is heard, in microseconds. Returns nil if the server has
    /// underrun and does not know its position.
    ///
    /// libpulse fits a line through its measurements, which removes their jitter. It includes the time before and
    /// just after the start of a stream, and is wrong for seconds then. If the line deviates from the last
    /// measurement by more than the jitter, the measurement is used.
    private func latency(_ info: pa_timing_info) -> Int64? {
        var latency: pa_usec_t = 0
        var isNegative: Int32 = 0
        let isFitted =
            library.functions.stream_get_latency(stream, &latency, &isNegative) >= 0 && isNegative == 0
        let fitted = isFitted ? Int64(clamping: latency) : nil
        var result = fitted
        if info.write_index_corrupt == 0, info.read_index_corrupt == 0 {
            let buffered = microseconds(info.write_index &- info.read_index).addingClamped(
                Int64(clamping: info.sink_usec)
            )
            let measured = buffered - max(0, min(2_000_000, age(of: info)))
            if fitted.map({ ($0 - measured).magnitude > Self.jitter }) ?? true { result = measured }
        }
        return result.flatMap { (1...10_000_000).contains($0) ? $0 : nil }
    }

    /// Updates how far the device has been supplied ahead, for the first write after a flush.
    ///
    /// An idle device plays silence far ahead, in the case of PulseAudio's null device two seconds. It rewinds that,
    /// except for the part that it was asked to keep.
    private func updateHorizon() {
        guard !isSuspended, let info = library.functions.stream_get_timing_info(stream)?.pointee else {
            return
        }
        let ahead = Int64(clamping: info.sink_usec) - age(of: info) - Self.rewindableLatency
        signals.horizon.store(
            owner.clock.now.advanced(by: max(0, ahead) * 1000).nanoseconds,
            ordering: .relaxed
        )
    }

    /// Returns the age of a measurement in microseconds.
    private func age(of info: pa_timing_info) -> Int64 {
        Self.wallClock() - Self.microseconds(info.timestamp)
    }

    static func wallClock() -> Int64 {
        var now = timeval()
        gettimeofday(&now, nil)
        return microseconds(now)
    }

    private static func microseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
    }

    private func microseconds(_ bytes: Int64) -> Int64 {
        bytes / Int64(frameSize) * 1_000_000 / sampleRate
    }

    /// Measures the time from starting the stream until its first sample is heard, as an estimate for the next start.
    private func updateStartDelay(_ frame: Int64, _ heardAt: HostTime) {
        guard let startedAt else { return }
        self.startedAt = nil
        guard frame < sampleRate else { return }
        let first = heardAt.advanced(by: -frame * 1_000_000_000 / sampleRate)
        let delay = max(0, min(250_000_000, first.nanoseconds(since: startedAt)))
        signals.startDelay.store(delay, ordering: .relaxed)
    }

    /// The part of the device's latency that it was asked to keep, in microseconds: two fifths of the stream's
    /// buffer.
    private static let rewindableLatency = Int64(AudioDeviceBuffer.deviceBufferSeconds * 4e5)

    /// The largest difference between a measurement and libpulse's estimate that counts as jitter, in microseconds.
    private static let jitter: UInt64 = 20_000
    /// The time in microseconds after a start or pause during which measurements are ignored.
    static let settlingTime: Int64 = 20_000

    private static let remeasured: pa_stream_success_cb_t = { _, _, data in
        guard let me = me(data) else { return }
        me.pendingMeasurements = max(0, me.pendingMeasurements - 1)
        me.measure()
    }
}
