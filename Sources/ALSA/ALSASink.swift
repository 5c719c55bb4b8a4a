public import MediaCore
public import PlayheadBackend
internal import Synchronization

/// A sink that plays audio on an ALSA device, without an audio server.
///
/// No call waits for the device: each sink has a thread that opens the device, writes to it and measures its delay.
/// The thread starts when the sink is prepared or started, and ends after `finish()`.
///
/// Samples are 32-bit floating point in the format of the first audio. A device that does not accept them is opened
/// through ALSA's `plug`, which converts format, rate and channels.
///
/// If the device is busy or disappears, the sink accepts no samples and opens the device again: after 50 ms, then at
/// increasing intervals of up to 1 s, or up to 5 s if it has never been open. Meanwhile the player follows the host's
/// clock. Volume changes take effect within 10 ms plus what the device holds (0.2 s), in the sink.
public final class ALSASink: AudioDeviceSink {
    /// A change of the device.
    ///
    /// Notices are delivered in order, on a queue of the sink. The handler may block, and may call any sink. No call
    /// starts after `finish()`.
    public typealias Notice = AudioOutputNotice

    private let buffer: AudioDeviceBuffer
    private let device: ALSADevice

    /// Creates a sink. It opens the device when it is started.
    ///
    /// - Parameters:
    ///   - device: ALSA's name of the device, such as `default`, `hw:1,0` or `plughw:CARD=HDMI`; nil for `default`.
    ///   - clock: The player's clock; nil for the host's monotonic clock.
    ///   - onNotice: Receives changes of the device, on a queue of the sink.
    public convenience init(
        device: String? = nil,
        clock: (any HostClock)? = nil,
        onNotice: @escaping @Sendable (Notice) -> Void = { _ in }
    ) {
        self.init(buffer: AudioDeviceBuffer(device: device, title: ""), clock: clock, onNotice: onNotice)
    }

    /// Creates a sink that reads a buffer which another sink may read instead.
    package convenience init(
        buffer: AudioDeviceBuffer,
        clock: (any HostClock)?,
        onNotice: @escaping @Sendable (Notice) -> Void
    ) {
        self.init(buffer: buffer, clock: clock, library: { ALSALibrary.shared }, onNotice: onNotice)
    }

    init(
        buffer: AudioDeviceBuffer,
        clock: (any HostClock)?,
        library: @escaping @Sendable () -> Result<ALSALibrary, FunctionTable.Failure>,
        onNotice: @escaping @Sendable (Notice) -> Void
    ) {
        self.buffer = buffer
        let device = ALSADevice(buffer, clock: clock ?? SystemClock(), library: library, onNotice)
        self.device = device
        buffer.addReader { device.wake() }
    }

    deinit { leave() }

    /// Closes the device for good, and leaves the buffer to another reader.
    package func leave() { device.close() }

    // MARK: AudioSink

    /// Requests the device, and returns the format in which it plays. Does not wait for the device.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: AudioFormat) throws -> AudioFormat {
        prepare()
        return buffer.start(format)
    }

    /// Copies samples to the ring that the device's thread reads from.
    ///
    /// - Throws: This implementation does not throw.
    public func write(_ buffer: AudioBuffer) throws { self.buffer.write(buffer) }

    public func setPaused(_ isPaused: Bool) { buffer.setPaused(isPaused) }
    public func flush() { buffer.flush() }
    public func setVolume(_ volume: Float) { buffer.setVolume(volume) }
    public func finish() { buffer.finish() }

    // MARK: AudioDeviceSink

    public func prepare() { device.open() }

    public var position: AudioDevicePosition? { buffer.signals.timing.position }
    public var isConnecting: Bool { buffer.signals.isConnecting.load(ordering: .relaxed) }
    public var startDelay: Duration {
        buffer.signals.isPlayable
            ? .nanoseconds(buffer.signals.startDelay.load(ordering: .relaxed)) : .zero
    }
    public var lead: Duration { .milliseconds(400) }
    public var underruns: Int { buffer.underruns }
    public var deviceName: String? { buffer.signals.deviceName.withLock { $0 } }
    public var writableFrameCount: Int { buffer.writableFrameCount }
    public func skip(_ frames: Int64) { buffer.skip(frames) }
    public func rewind(to frame: Int64) -> Int64? { buffer.rewind(to: frame) }
    public func setExpectsMore(_ expectsMore: Bool) { buffer.setExpectsMore(expectsMore) }
    /// Selects the device by ALSA's name; nil for `default`.
    public func setDevice(_ uniqueID: String?) { buffer.setDevice(uniqueID) }
}
