public import MediaCore
public import PlayheadBackend
internal import Synchronization

/// A sink that plays audio on a PulseAudio server, or on another server with the same protocol (PipeWire).
///
/// No call waits for the server. All sinks of the process with the same server and application name share one thread
/// and are one client of the server: the first sink that is prepared connects, and the last one that is finished
/// closes the connection and ends the thread.
///
/// Without a server, or after the connection is lost, the sinks accept no samples and reconnect together: after 50
/// ms, then at increasing intervals of up to 400 ms, or up to 5 s if there has never been a connection. Meanwhile the
/// player follows the host's clock.
///
/// Samples are 32-bit floating point in the format of the first audio, in one stream that stays open until
/// `finish()`. Volume changes take effect within 10 ms, in the sink. The stream's own volume is left to the user's
/// mixer.
public final class PulseAudioSink: AudioDeviceSink {
    /// A change of the connection to the audio server.
    ///
    /// Notices are delivered in order, on a queue of the sink. The handler may block, and may call any sink. No call
    /// starts after `finish()`.
    public typealias Notice = AudioOutputNotice

    private let buffer: AudioDeviceBuffer
    private let member: PulseMember

    /// Creates a sink. It connects when it is prepared or started.
    ///
    /// - Parameters:
    ///   - device: The server's name of the device; nil for the server's default.
    ///   - title: The title that mixers show; nil for the name of the program.
    ///   - applicationName: The application name that mixers show; nil for the name of the program.
    ///   - server: The address of the server; nil for libpulse's default.
    ///   - clock: The player's clock; nil for the host's monotonic clock.
    ///   - onNotice: Receives changes of the connection, on a queue of the sink.
    public convenience init(
        device: String? = nil,
        title: String? = nil,
        applicationName: String? = nil,
        server: String? = nil,
        clock: (any HostClock)? = nil,
        onNotice: @escaping @Sendable (Notice) -> Void = { _ in }
    ) {
        self.init(
            buffer: AudioDeviceBuffer(device: device, title: title ?? Self.programName),
            applicationName: applicationName,
            server: server,
            clock: clock,
            onNotice: onNotice
        )
    }

    /// Creates a sink that reads a buffer which another sink may read instead.
    package init(
        buffer: AudioDeviceBuffer,
        applicationName: String?,
        server: String?,
        clock: (any HostClock)?,
        onNotice: @escaping @Sendable (Notice) -> Void
    ) {
        self.buffer = buffer
        let member = PulseMember(
            address: PulseConnection.Address(
                server: server,
                applicationName: applicationName ?? Self.programName
            ),
            settings: buffer.settings,
            signals: buffer.signals,
            clock: clock ?? SystemClock(),
            onNotice: onNotice
        )
        self.member = member
        buffer.addReader { member.wake() }
    }

    deinit { finish() }

    /// Leaves the server for good, and leaves the buffer to another reader.
    package func leave() { member.close() }

    /// The name of the program, which mixers show by default.
    package static var programName: String {
        let path = CommandLine.arguments.first ?? "Playhead"
        return path.split(separator: "/").last.map(String.init) ?? path
    }

    // MARK: AudioSink

    /// Opens a stream on the audio server. Does not wait for the server.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: AudioFormat) throws -> AudioFormat {
        prepare()
        return buffer.start(format)
    }

    /// Copies samples to the ring that the device reads from.
    ///
    /// - Throws: This implementation does not throw.
    public func write(_ buffer: AudioBuffer) throws { self.buffer.write(buffer) }

    public func setPaused(_ isPaused: Bool) { buffer.setPaused(isPaused) }
    public func flush() { buffer.flush() }
    public func setVolume(_ volume: Float) { buffer.setVolume(volume) }

    public func finish() {
        buffer.finish()
        member.close()
    }

    // MARK: AudioDeviceSink

    public func prepare() { member.open() }

    public var position: AudioDevicePosition? { signals.timing.position }
    public var isConnecting: Bool { signals.isConnecting.load(ordering: .relaxed) }
    public var startDelay: Duration {
        guard signals.isPlayable else { return .zero }
        let horizon = HostTime(nanoseconds: signals.horizon.load(ordering: .relaxed))
        let ahead = horizon.nanoseconds(since: member.clock.now)
        let delay = max(
            signals.startDelay.load(ordering: .relaxed),
            ahead > Self.maximumUsualLead ? ahead : 0
        )
        return .nanoseconds(delay)
    }
    public var lead: Duration { .milliseconds(400) }
    public var underruns: Int { buffer.underruns }
    public var deviceName: String? { signals.deviceName.withLock { $0 } }
    public var writableFrameCount: Int { buffer.writableFrameCount }
    public func skip(_ frames: Int64) { buffer.skip(frames) }
    public func rewind(to frame: Int64) -> Int64? { buffer.rewind(to: frame) }
    public func setExpectsMore(_ expectsMore: Bool) { buffer.setExpectsMore(expectsMore) }
    public func setDevice(_ uniqueID: String?) { buffer.setDevice(uniqueID) }
    public func setTitle(_ title: String) { buffer.setTitle(title) }

    public func setNoticeHandler(_ handler: @escaping @Sendable (AudioDeviceNotice) -> Void) {
        signals.onNotice.withLock { $0 = handler }
    }

    private var signals: AudioDeviceSignals { buffer.signals }

    /// The longest time in nanoseconds that an active device plays ahead: 300 ms.
    private static let maximumUsualLead: Int64 = 300_000_000
}
