internal import CPulse
internal import Glibc
internal import MediaCore
internal import Synchronization

/// The stream of one connection. All of it runs on the main loop's thread.
///
/// Its write callback takes samples from the ring and publishes what is heard when: it allocates nothing, takes no
/// lock and logs nothing.
final class PulseStream {
    private unowned let owner: PulseConnection
    private let library: PulseLibrary
    private let stream: OpaquePointer
    private let ring: SampleRing
    private let signals: PulseSignals
    private let frameSize: Int
    private let sampleRate: Int64
    private let askedFor: String?

    private var isReady = false
    private var isCorked = true
    private var isSuspended = false
    private var device: String?
    private var title: String
    private var flushes: Int
    /// When it was let go, until the first sample that was heard since has been measured.
    private var startedAt: HostTime?
    /// What is known of the timing is of before the last change.
    private var measurementsAwaited = 0
    /// Nothing has been written since the last flush.
    private var isEmpty = true
    /// What was measured before tells nothing: a device takes back what it has played ahead when a stream begins.
    /// Microseconds of the wall clock, as in libpulse's measurements.
    private var settlesAt: Int64 = 0

    init?(
        _ owner: PulseConnection,
        library: PulseLibrary,
        context: OpaquePointer,
        format: AudioFormat,
        ring: SampleRing,
        device: String?,
        title: String
    ) {
        let pulse = library.functions
        var sample = pa_sample_spec()
        // The machine's own byte order.
        sample.format = 1.littleEndian == 1 ? PA_SAMPLE_FLOAT32LE : PA_SAMPLE_FLOAT32BE
        sample.rate = UInt32(format.sampleRate)
        sample.channels = UInt8(format.channelCount)
        var map = pa_channel_map()
        // FFmpeg's usual layouts have their channels in the order of WAVE files.
        _ = pulse.channel_map_init_extend(&map, UInt32(format.channelCount), PA_CHANNEL_MAP_WAVEEX)
        let properties = pulse.proplist_new()
        defer { if let properties { pulse.proplist_free(properties) } }
        _ = pulse.proplist_sets(properties, "media.name", title)
        guard let stream = pulse.stream_new_with_proplist(context, title, &sample, &map, properties) else {
            return nil
        }
        self.owner = owner
        self.library = library
        self.stream = stream
        self.ring = ring
        self.title = title
        self.device = device
        askedFor = device
        signals = owner.signals
        frameSize = 4 * format.channelCount
        sampleRate = Int64(format.sampleRate)
        flushes = owner.signals.flushes.load(ordering: .acquiring)
        let me = Unmanaged.passUnretained(self).toOpaque()
        pulse.stream_set_state_callback(stream, Self.stateChanged, me)
        pulse.stream_set_write_callback(stream, Self.wanted, me)
        pulse.stream_set_underflow_callback(stream, Self.starved, me)
        pulse.stream_set_moved_callback(stream, Self.moved, me)
        pulse.stream_set_suspended_callback(stream, Self.suspended, me)
        pulse.stream_set_latency_update_callback(stream, Self.measured, me)
        let size = Int64(PulseAudioSink.serverSeconds * 1e6) * sampleRate / 1_000_000 * Int64(frameSize)
        var buffer = pa_buffer_attr(
            maxlength: .max,
            tlength: UInt32(size),
            // With none a stream runs on without samples, and PulseAudio then asks for the first ones late.
            prebuf: .max,
            minreq: .max,
            fragsize: .max
        )
        let flags =
            PA_STREAM_START_CORKED.rawValue | PA_STREAM_INTERPOLATE_TIMING.rawValue
            | PA_STREAM_AUTO_TIMING_UPDATE.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue
        let code = pulse.stream_connect_playback(stream, device, &buffer, pa_stream_flags_t(flags), nil, nil)
        guard code >= 0 else {
            close()
            return nil
        }
    }

    var index: UInt32 { library.functions.stream_get_index(stream) }

    /// Nothing is called back after this.
    func close() {
        let pulse = library.functions
        pulse.stream_set_state_callback(stream, nil, nil)
        pulse.stream_set_write_callback(stream, nil, nil)
        pulse.stream_set_underflow_callback(stream, nil, nil)
        pulse.stream_set_moved_callback(stream, nil, nil)
        pulse.stream_set_suspended_callback(stream, nil, nil)
        pulse.stream_set_latency_update_callback(stream, nil, nil)
        _ = pulse.stream_disconnect(stream)
        pulse.stream_unref(stream)
        ring.discard()
        signals.isWaitingForSamples.store(false, ordering: .relaxed)
    }

    // MARK: What is asked for

    func attend(device wanted: String?, title: String, isPaused: Bool) {
        guard isReady else { return }
        let newest = signals.flushes.load(ordering: .acquiring)
        if newest != flushes {
            flushes = newest
            signals.timing.invalidate()
            isEmpty = true
            startedAt = isCorked ? nil : owner.clock.now
            forget(library.functions.stream_flush(stream, nil, nil))
            measureAnew()
        }
        if title != self.title {
            self.title = title
            forget(library.functions.stream_set_name(stream, title, nil, nil))
        }
        if wanted != device {
            device = wanted
            if let wanted { owner.move(index, to: wanted) } else { owner.moveToDefault() }
        }
        fill(library.functions.stream_writable_size(stream))
        if isPaused != isCorked {
            isCorked = isPaused
            signals.timing.invalidate()
            startedAt = isPaused ? nil : owner.clock.now
            settlesAt = Self.wallClock() + Self.settling
            forget(library.functions.stream_cork(stream, isPaused ? 1 : 0, nil, nil))
            measureAnew()
        }
    }

    private func measureAnew() {
        let me = Unmanaged.passUnretained(self).toOpaque()
        guard let operation = library.functions.stream_update_timing_info(stream, Self.remeasured, me) else {
            return
        }
        measurementsAwaited += 1
        library.functions.operation_unref(operation)
    }

    private func forget(_ operation: OpaquePointer?) {
        if let operation { library.functions.operation_unref(operation) }
    }

    // MARK: Samples

    /// The server wants `byteCount` bytes.
    private func fill(_ byteCount: Int) {
        guard byteCount != -1, byteCount >= frameSize else { return }
        guard ring.isReady else {
            // Whoever writes next wakes this thread, unless it was just now.
            signals.isWaitingForSamples.store(true, ordering: .sequentiallyConsistent)
            guard ring.isReady else { return }
            signals.isWaitingForSamples.store(false, ordering: .relaxed)
            return write(byteCount)
        }
        signals.isWaitingForSamples.store(false, ordering: .relaxed)
        write(byteCount)
    }

    private func write(_ byteCount: Int) {
        if isEmpty, !isCorked { startedAt = owner.clock.now }
        var left = byteCount / frameSize * frameSize
        while left > 0 {
            var memory: UnsafeMutableRawPointer?
            var size = left
            guard library.functions.stream_begin_write(stream, &memory, &size) >= 0, let memory else { break }
            let count = min(size, left) / frameSize
            guard count > 0 else { break }
            ring.take(memory.assumingMemoryBound(to: Float.self), count)
            let code = library.functions.stream_write(
                stream,
                memory,
                count * frameSize,
                nil,
                0,
                PA_SEEK_RELATIVE
            )
            guard code >= 0 else { break }
            if isEmpty { settlesAt = Self.wallClock() + Self.settling }
            isEmpty = false
            left -= count * frameSize
        }
        measure()
    }

    /// Which sample comes next, and when what is written next will be heard.
    private func measure() {
        noteHorizon()
        guard !isCorked, !isSuspended, measurementsAwaited == 0, let next = ring.next,
            let info = library.functions.stream_get_timing_info(stream)?.pointee,
            Self.microseconds(info.timestamp) >= settlesAt, let latency = latency(info)
        else { return }
        let now = owner.clock.now
        let heardAt = now.advanced(by: latency * 1000)
        learnStartDelay(next.frame, heardAt)
        signals.timing.publish(
            AudioDevicePosition(frame: next.frame, heardAt: heardAt, measuredAt: now, flushes: next.flushes)
        )
    }

    /// Microseconds until what is written next is heard; nil: the server has played on beyond what it was given, and
    /// cannot tell where.
    ///
    /// libpulse fits a line through its measurements, which takes their jitter away. But it takes that line for where
    /// a stream is that has not begun, or has just done so, and then is wrong for seconds: so the last
    /// measurement itself has the last word.
    private func latency(_ info: pa_timing_info) -> Int64? {
        var latency: pa_usec_t = 0
        var isNegative: Int32 = 0
        let isFitted =
            library.functions.stream_get_latency(stream, &latency, &isNegative) >= 0 && isNegative == 0
        let fitted = isFitted ? Int64(clamping: latency) : nil
        var result = fitted
        if info.write_index_corrupt == 0, info.read_index_corrupt == 0 {
            let inHand = microseconds(info.write_index - info.read_index) + Int64(clamping: info.sink_usec)
            let measured = inHand - max(0, min(2_000_000, age(of: info)))
            if fitted.map({ ($0 - measured).magnitude > Self.jitter }) ?? true { result = measured }
        }
        return result.flatMap { (1...10_000_000).contains($0) ? $0 : nil }
    }

    /// How far the device has played ahead, for whoever writes first after a flush. One that nobody has used plays
    /// silence ahead of itself, PulseAudio's null device two seconds, and takes back but what it has been told to keep.
    private func noteHorizon() {
        guard !isSuspended, let info = library.functions.stream_get_timing_info(stream)?.pointee else {
            return
        }
        let ahead = Int64(clamping: info.sink_usec) - age(of: info) - Self.takenBack
        signals.horizon.store(
            owner.clock.now.advanced(by: max(0, ahead) * 1000).nanoseconds,
            ordering: .relaxed
        )
    }

    /// Microseconds.
    private func age(of info: pa_timing_info) -> Int64 {
        Self.wallClock() - Self.microseconds(info.timestamp)
    }

    private static func wallClock() -> Int64 {
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

    /// How long it took from letting the stream go until its first sample was heard: so it will be next time.
    private func learnStartDelay(_ frame: Int64, _ heardAt: HostTime) {
        guard let startedAt else { return }
        self.startedAt = nil
        guard frame < sampleRate else { return }
        let first = heardAt.advanced(by: -frame * 1_000_000_000 / sampleRate)
        let delay = max(0, min(250_000_000, first.nanoseconds(since: startedAt)))
        signals.startDelay.store(delay, ordering: .relaxed)
    }

    private func noteUnderrun() {
        guard !isCorked, !isEmpty, !isSuspended, ring.expects else { return }
        signals.serverUnderruns.add(1, ordering: .relaxed)
    }

    // MARK: What the server tells

    private func stateDidChange() {
        let pulse = library.functions
        switch pulse.stream_get_state(stream) {
        case PA_STREAM_READY:
            isReady = true
            isSuspended = pulse.stream_is_suspended(stream) > 0
            signals.canPlay.store(!isSuspended, ordering: .relaxed)
            owner.streamIsReady(device: deviceName)
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED: owner.streamFailed(wanted: askedFor)
        default: break
        }
    }

    private var deviceName: String {
        library.functions.stream_get_device_name(stream).map { String(cString: $0) } ?? "unknown"
    }

    private func didMove() {
        signals.timing.invalidate()
        owner.streamMoved(to: deviceName)
        measureAnew()
    }

    private func suspensionChanged() {
        isSuspended = library.functions.stream_is_suspended(stream) > 0
        signals.canPlay.store(!isSuspended, ordering: .relaxed)
        signals.timing.invalidate()
    }

    /// Microseconds: what a device is told to keep is two fifths of the stream's length.
    private static let takenBack = Int64(PulseAudioSink.serverSeconds * 4e5)

    /// Microseconds.
    private static let jitter: UInt64 = 20_000
    private static let settling: Int64 = 20_000

    private static func me(_ data: UnsafeMutableRawPointer?) -> PulseStream? {
        data.map { Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
    }
    private static let stateChanged: pa_stream_notify_cb_t = { _, data in me(data)?.stateDidChange() }
    private static let remeasured: pa_stream_success_cb_t = { _, _, data in
        guard let me = me(data) else { return }
        me.measurementsAwaited = max(0, me.measurementsAwaited - 1)
        me.measure()
    }
    private static let wanted: pa_stream_request_cb_t = { _, count, data in me(data)?.fill(count) }
    private static let starved: pa_stream_notify_cb_t = { _, data in me(data)?.noteUnderrun() }
    private static let moved: pa_stream_notify_cb_t = { _, data in me(data)?.didMove() }
    private static let suspended: pa_stream_notify_cb_t = { _, data in me(data)?.suspensionChanged() }
    private static let measured: pa_stream_notify_cb_t = { _, data in
        guard let me = me(data) else { return }
        me.measure()
        me.owner.streamIsMeasured()
    }
}
