internal import ALSA
public import MediaCore
public import PlayheadBackend
internal import PulseAudio

/// A sink that plays audio on a PulseAudio or PipeWire server, or on ALSA's default device if there is no server. Without
/// both, audio is discarded in real time.
///
/// The choice is made once, after the sink is first prepared. If neither is available, one notice reports it, and a
/// server that is started later is used. No call waits for a server or a device.
public final class AutomaticAudioSink: AudioDeviceSink {
    private let pulse: PulseAudioSink
    private let alsa: ALSASink
    private let choice: AudioBackendChoice

    /// Creates a sink. It connects when it is prepared or started.
    ///
    /// - Parameters:
    ///   - applicationName: The application name that mixers show; nil for the name of the program.
    ///   - clock: The player's clock; nil for the host's monotonic clock.
    ///   - onNotice: Receives changes of the device, on a queue of the sink.
    public convenience init(
        applicationName: String? = nil,
        clock: (any HostClock)? = nil,
        onNotice: @escaping @Sendable (AudioOutputNotice) -> Void = { _ in }
    ) {
        self.init(server: nil, applicationName: applicationName, clock: clock, onNotice: onNotice)
    }

    /// Creates a sink for a server other than libpulse's default.
    package init(
        server: String?,
        applicationName: String? = nil,
        clock: (any HostClock)? = nil,
        onNotice: @escaping @Sendable (AudioOutputNotice) -> Void
    ) {
        let buffer = AudioDeviceBuffer(device: nil, title: PulseAudioSink.programName)
        let choice = AudioBackendChoice(onNotice)
        self.choice = choice
        pulse = PulseAudioSink(buffer: buffer, applicationName: applicationName, server: server, clock: clock)
        {
            choice.receivePulse($0)
        }
        alsa = ALSASink(buffer: buffer, clock: clock) { choice.receiveALSA($0) }
        choice.begin(
            .init(
                prepareALSA: { [weak alsa] in alsa?.prepare() },
                leaveALSA: { [weak alsa] in alsa?.leave() },
                leavePulse: { [weak pulse] in pulse?.leave() }
            )
        )
    }

    // MARK: AudioSink

    /// Requests a device, and returns the format in which it plays. Does not wait for the device.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: AudioFormat) throws -> AudioFormat {
        prepare()
        return try pulse.start(format)
    }

    /// Copies samples to the ring that the device reads from.
    ///
    /// - Throws: This implementation does not throw.
    public func write(_ buffer: AudioBuffer) throws { try pulse.write(buffer) }

    // The two sinks share one buffer, so one of them passes everything on to both.
    public func setPaused(_ isPaused: Bool) { pulse.setPaused(isPaused) }
    public func flush() { pulse.flush() }
    public func setVolume(_ volume: Float) { pulse.setVolume(volume) }
    public func finish() { pulse.finish() }

    // MARK: AudioDeviceSink

    public func prepare() {
        choice.isPrepared = true
        pulse.prepare()
    }

    public var position: AudioDevicePosition? { pulse.position }
    public var isConnecting: Bool { choice.isPending || pulse.isConnecting }
    public var startDelay: Duration { pulse.startDelay }
    public var lead: Duration { pulse.lead }
    public var underruns: Int { pulse.underruns }
    public var deviceName: String? { pulse.deviceName }
    public var writableFrameCount: Int { pulse.writableFrameCount }
    public func skip(_ frames: Int64) { pulse.skip(frames) }
    public func rewind(to frame: Int64) -> Int64? { pulse.rewind(to: frame) }
    public func setExpectsMore(_ expectsMore: Bool) { pulse.setExpectsMore(expectsMore) }
    /// Selects a device by its name on the server, or by its ALSA name if ALSA is used.
    public func setDevice(_ uniqueID: String?) { pulse.setDevice(uniqueID) }
    public func setTitle(_ title: String) { pulse.setTitle(title) }
    public func setNoticeHandler(_ handler: @escaping @Sendable (AudioDeviceNotice) -> Void) {
        pulse.setNoticeHandler(handler)
    }
}
