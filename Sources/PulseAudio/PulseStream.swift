internal import CPulse
internal import Glibc
internal import MediaCore
import PlayheadBackend
internal import Synchronization

/// The stream of one sink. All of it runs on the main loop's thread, or with its lock.
///
/// Its write callback reads samples from the ring and publishes when they are heard. The callback allocates nothing,
/// takes no lock and logs nothing.
final class PulseStream {
    unowned let owner: PulseMember
    let library: PulseLibrary
    let stream: OpaquePointer
    let ring: SampleRing
    let signals: AudioDeviceSignals
    let frameSize: Int
    let sampleRate: Int64
    private let requestedDevice: String?

    private var isReady = false
    private var isClosed = false
    private var isInterrupted = false
    /// The number of `setPaused` calls when the server requested silence. The stream stays paused until the number
    /// changes. Nil without such a request.
    private var corkedAtPauseCall: Int?
    var isCorked = true
    private var isPauseRequested = true
    var isSuspended = false
    private var device: String?
    private var title: String
    private var flushes: Int
    /// The time at which the stream was started, until its first sample has been measured.
    var startedAt: HostTime?
    /// The number of requested measurements. Until they arrive, the known timing precedes the last change.
    var pendingMeasurements = 0
    var measurements = PulseOperations()
    /// Whether nothing has been written since the last flush.
    private var isEmpty = true
    /// Whether the server has not received everything it requested since the last flush.
    private var isBeginning = true
    /// Whether the time to wait for missing samples at the start is over.
    private var hasWaitedForSamples = false
    /// The time from which measurements are valid, in microseconds of the wall clock like libpulse's measurements.
    /// Earlier ones are useless, because a device rewinds when a stream starts.
    var timingIsValidFrom: Int64 = 0

    init?(
        _ owner: PulseMember,
        library: PulseLibrary,
        context: OpaquePointer,
        format: AudioFormat,
        ring: SampleRing,
        device: String?,
        title: String
    ) {
        let pulse = library.functions
        var sample = pa_sample_spec()
        // Host byte order.
        sample.format = 1.littleEndian == 1 ? PA_SAMPLE_FLOAT32LE : PA_SAMPLE_FLOAT32BE
        sample.rate = UInt32(format.sampleRate)
        sample.channels = UInt8(format.channelCount)
        var map = pa_channel_map()
        _ = pulse.channel_map_parse(&map, PulseChannelMap.names(of: format.channelLayout))
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
        requestedDevice = device
        signals = owner.signals
        frameSize = 4 * format.channelCount
        sampleRate = Int64(format.sampleRate)
        flushes = owner.signals.flushes.load(ordering: .acquiring)
        let me = Unmanaged.passUnretained(self).toOpaque()
        pulse.stream_set_state_callback(stream, Self.stateChanged, me)
        pulse.stream_set_write_callback(stream, Self.samplesRequested, me)
        pulse.stream_set_underflow_callback(stream, Self.underflowed, me)
        pulse.stream_set_event_callback(stream, Self.eventReceived, me)
        pulse.stream_set_moved_callback(stream, Self.moved, me)
        pulse.stream_set_suspended_callback(stream, Self.suspended, me)
        pulse.stream_set_latency_update_callback(stream, Self.measured, me)
        let size = Int(AudioDeviceBuffer.deviceBufferSeconds * Double(sampleRate)) * frameSize
        let first = Int(AudioDeviceBuffer.prefillSeconds * Double(sampleRate)) * frameSize
        var buffer = pa_buffer_attr(
            maxlength: .max,
            tlength: UInt32(size),
            // Without a prebuffer, a stream runs without samples, and PulseAudio then requests the first ones late.
            prebuf: UInt32(first),
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
    /// Whether the stream was asked to use the server's default device.
    var usesDefaultDevice: Bool { device == nil }

    /// Ends the stream. Nothing is called back after this.
    func close() {
        isClosed = true
        measurements.cancel(library)
        let pulse = library.functions
        pulse.stream_set_state_callback(stream, nil, nil)
        pulse.stream_set_write_callback(stream, nil, nil)
        pulse.stream_set_underflow_callback(stream, nil, nil)
        pulse.stream_set_event_callback(stream, nil, nil)
        pulse.stream_set_moved_callback(stream, nil, nil)
        pulse.stream_set_suspended_callback(stream, nil, nil)
        pulse.stream_set_latency_update_callback(stream, nil, nil)
        owner.end(stream)
        ring.discard()
        // Nothing else reports the end of an interruption.
        reportInterruption(false)
        signals.isWaitingForSamples.store(false, ordering: .relaxed)
    }

    // MARK: Requests

    func applyRequests(device newDevice: String?, title: String, isPaused: Bool) {
        guard isReady else { return }
        let newest = signals.flushes.load(ordering: .acquiring)
        if newest != flushes {
            flushes = newest
            signals.timing.invalidate()
            isEmpty = true
            isBeginning = true
            hasWaitedForSamples = false
            startedAt = isCorked ? nil : owner.clock.now
            release(library.functions.stream_flush(stream, nil, nil))
            requestTimingUpdate()
        }
        if title != self.title {
            self.title = title
            release(library.functions.stream_set_name(stream, title, nil, nil))
        }
        if newDevice != device {
            device = newDevice
            if let newDevice { owner.move(index, to: newDevice) } else { owner.moveToDefault() }
        }
        if corkedAtPauseCall != signals.pauseCalls.load(ordering: .acquiring) { corkedAtPauseCall = nil }
        isPauseRequested = isPaused || corkedAtPauseCall != nil
        fill(library.functions.stream_writable_size(stream))
        applyPause()
    }

    /// Pauses or starts the stream on the server, as requested.
    ///
    /// A stream without samples is not started. Otherwise the device would start twice: with silence, and again with
    /// the first samples. An idle device loses some milliseconds each time.
    private func applyPause() {
        guard isPauseRequested != isCorked, isPauseRequested || !isEmpty else { return }
        isCorked = isPauseRequested
        signals.timing.invalidate()
        startedAt = isCorked ? nil : owner.clock.now
        timingIsValidFrom = Self.wallClock() + Self.settlingTime
        release(library.functions.stream_cork(stream, isCorked ? 1 : 0, nil, nil))
        requestTimingUpdate()
        if !isCorked, isBeginning { waitForMissing() }
    }

    private func release(_ operation: OpaquePointer?) {
        if let operation { library.functions.operation_unref(operation) }
    }

    // MARK: Samples

    /// Writes up to the `byteCount` bytes that the server requests.
    private func fill(_ byteCount: Int) {
        guard byteCount != -1, byteCount >= frameSize else { return }
        // The next writer wakes this thread, unless it wrote before the ring is checked below.
        signals.isWaitingForSamples.store(true, ordering: .sequentiallyConsistent)
        let requested = byteCount / frameSize
        let count = writableCount(of: requested)
        if count == requested { signals.isWaitingForSamples.store(false, ordering: .relaxed) }
        if count > 0 { write(count) }
        applyPause()
    }

    /// Returns the number of samples per channel to write now.
    ///
    /// At the start, missing samples are waited for as long as the preceding ones last. After that, a short silence
    /// replaces them.
    private func writableCount(of requested: Int) -> Int {
        guard ring.isReady else { return 0 }
        guard isBeginning else { return requested }
        let available = ring.availableCount(of: requested)
        if available == requested { isBeginning = false }
        guard isBeginning, !isCorked else { return available }
        let silence = hasWaitedForSamples ? Int(sampleRate) / 1000 * PulseMember.waitTimeMilliseconds : 0
        if hasWaitedForSamples || isEmpty { waitForMissing() }
        return min(requested, available + silence)
    }

    private func waitForMissing() {
        hasWaitedForSamples = false
        owner.startWaiting()
    }

    /// Called when the time started by `startWaiting` is over.
    func waitDidEnd() {
        hasWaitedForSamples = true
        if isReady { fill(library.functions.stream_writable_size(stream)) }
    }

    private func write(_ frameCount: Int) {
        if isEmpty, !isCorked { startedAt = owner.clock.now }
        var left = frameCount * frameSize
        while left > 0 {
            var memory: UnsafeMutableRawPointer?
            var size = left
            guard library.functions.stream_begin_write(stream, &memory, &size) >= 0, let memory else { break }
            let count = min(size, left) / frameSize
            guard count > 0 else { break }
            ring.read(into: memory.assumingMemoryBound(to: Float.self), count: count)
            let code = library.functions.stream_write(
                stream,
                memory,
                count * frameSize,
                nil,
                0,
                PA_SEEK_RELATIVE
            )
            guard code >= 0 else { break }
            if isEmpty { timingIsValidFrom = Self.wallClock() + Self.settlingTime }
            isEmpty = false
            left -= count * frameSize
        }
        measure()
    }

    private func recordUnderrun() {
        guard !isCorked, !isEmpty, !isSuspended, ring.isExpectingSamples else { return }
        signals.deviceUnderruns.add(1, ordering: .relaxed)
    }

    // MARK: Server events

    private func stateDidChange() {
        // While a stream fails, libpulse does not allow its callback to be removed.
        guard !isClosed else { return }
        let pulse = library.functions
        switch pulse.stream_get_state(stream) {
        case PA_STREAM_READY:
            isReady = true
            isSuspended = pulse.stream_is_suspended(stream) > 0
            signals.canPlay.store(!isSuspended, ordering: .relaxed)
            owner.streamIsReady(device: deviceName)
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED: owner.streamFailed(requested: requestedDevice)
        default: break
        }
    }

    private var deviceName: String {
        library.functions.stream_get_device_name(stream).map { String(cString: $0) } ?? "unknown"
    }

    private func handle(_ event: String) {
        switch event {
        case PA_STREAM_EVENT_REQUEST_CORK:
            // Pauses at once, because a stream that is not paused when the call ends is not notified of its end.
            corkedAtPauseCall = signals.pauseCalls.load(ordering: .acquiring)
            isPauseRequested = true
            applyPause()
            reportInterruption(true)
        case PA_STREAM_EVENT_REQUEST_UNCORK:
            corkedAtPauseCall = nil
            reportInterruption(false)
            owner.wake()
        default: break
        }
    }

    /// Reports that the server requests silence, or no longer does. The engine decides what to do.
    private func reportInterruption(_ isInterrupted: Bool) {
        guard isInterrupted != self.isInterrupted else { return }
        self.isInterrupted = isInterrupted
        let handler = signals.onNotice.withLock { $0 }
        handler?(isInterrupted ? .interruptionBegan : .interruptionEnded)
    }

    private func didMove() {
        signals.timing.invalidate()
        owner.streamMoved(to: deviceName)
        requestTimingUpdate()
    }

    private func suspensionDidChange() {
        isSuspended = library.functions.stream_is_suspended(stream) > 0
        signals.canPlay.store(!isSuspended, ordering: .relaxed)
        signals.timing.invalidate()
    }

    static func me(_ data: UnsafeMutableRawPointer?) -> PulseStream? {
        data.map { Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
    }
    private static let stateChanged: pa_stream_notify_cb_t = { _, data in me(data)?.stateDidChange() }
    private static let samplesRequested: pa_stream_request_cb_t = { _, count, data in me(data)?.fill(count) }
    private static let underflowed: pa_stream_notify_cb_t = { _, data in me(data)?.recordUnderrun() }
    private static let eventReceived: pa_stream_event_cb_t = { _, name, _, data in
        if let name { me(data)?.handle(String(cString: name)) }
    }
    private static let moved: pa_stream_notify_cb_t = { _, data in me(data)?.didMove() }
    private static let suspended: pa_stream_notify_cb_t = { _, data in me(data)?.suspensionDidChange() }
    private static let measured: pa_stream_notify_cb_t = { _, data in
        guard let me = me(data) else { return }
        me.measure()
        me.owner.streamIsMeasured()
    }
}
