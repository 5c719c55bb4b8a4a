internal import Glibc
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
    public enum Notice: Hashable, Sendable {
        /// Audio is played on the device with this name.
        case connected(device: String)
        /// No audio is played, for the given reason. Reported once until the sink is connected again.
        case unavailable(String)
        /// The requested device does not exist. The server's default device is used.
        case deviceNotFound(String)
    }

    /// The state that the sink shares with its member of the connection.
    struct Settings: Sendable {
        var device: String?
        var title: String
        var isPaused = true
        var isFinished = false
        var format: AudioFormat?
        var ring: SampleRing?
    }

    let settings: Locked<Settings>
    let signals: PulseSignals
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
    public init(
        device: String? = nil,
        title: String? = nil,
        applicationName: String? = nil,
        server: String? = nil,
        clock: (any HostClock)? = nil,
        onNotice: @escaping @Sendable (Notice) -> Void = { _ in }
    ) {
        let path = CommandLine.arguments.first ?? "Playhead"
        let program = path.split(separator: "/").last.map(String.init) ?? path
        settings = Locked(Settings(device: device, title: title ?? program))
        signals = PulseSignals()
        member = PulseMember(
            address: PulseConnection.Address(server: server, applicationName: applicationName ?? program),
            settings: settings,
            signals: signals,
            clock: clock ?? SystemClock(),
            onNotice: onNotice
        )
    }

    deinit { shutDown() }

    // MARK: AudioSink

    /// Opens a stream on the audio server. Does not wait for the server.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: AudioFormat) throws -> AudioFormat {
        prepare()
        let (accepted, isNew) = settings.withLock { settings in
            if let format = settings.format { return (format, false) }
            let accepted = Self.accepted(format)
            let rate = Double(accepted.sampleRate)
            settings.format = accepted
            settings.ring = SampleRing(
                channelCount: accepted.channelCount,
                capacity: Int(2 * rate),
                prefill: Int(Self.prefillSeconds * rate),
                gainStep: Float(100 / rate)
            )
            settings.ring?.setGain(signals.gain)
            return (accepted, true)
        }
        if isNew { member.wake() }
        return accepted
    }

    /// Copies samples to the ring that the device reads from.
    ///
    /// - Throws: This implementation does not throw.
    public func write(_ buffer: AudioBuffer) throws {
        guard let ring = settings.withLock({ $0.ring }) else { return }
        buffer.withPlanes { planes in
            guard let samples = planes.first?.bindMemory(to: Float.self) else { return }
            ring.write(samples)
        }
        wakeIfNeeded()
    }

    private func wakeIfNeeded() {
        if signals.isWaitingForSamples.load(ordering: .sequentiallyConsistent) { member.wake() }
    }

    public func setPaused(_ isPaused: Bool) {
        settings.withLock { $0.isPaused = isPaused }
        signals.pauseCalls.add(1, ordering: .releasing)
        member.wake()
    }

    public func flush() {
        settings.withLock { $0.ring }?.flush()
        signals.flushes.add(1, ordering: .releasing)
        member.wake()
    }

    public func setVolume(_ volume: Float) {
        signals.gain = volume
        settings.withLock { $0.ring }?.setGain(volume)
    }

    public func finish() { shutDown() }

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
    public var underruns: Int {
        signals.serverUnderruns.load(ordering: .relaxed) + (settings.withLock { $0.ring }?.underruns ?? 0)
    }
    public var deviceName: String? { signals.deviceName.withLock { $0 } }

    public var writableFrameCount: Int {
        // Samples are kept until the first connection. After a connection is lost they would be outdated.
        guard !signals.isDisconnected.load(ordering: .acquiring) else { return 0 }
        return settings.withLock { $0.ring }?.writableCount ?? 0
    }

    public func skip(_ frames: Int64) { settings.withLock { $0.ring }?.skip(frames) }

    public func rewind(to frame: Int64) -> Int64? {
        let (ring, rate) = settings.withLock { ($0.ring, $0.format?.sampleRate ?? 0) }
        return ring?.rewind(to: frame, fade: rate / 100)
    }

    public func setExpectsMore(_ expectsMore: Bool) {
        settings.withLock { $0.ring }?.setExpectsMore(expectsMore)
        // Releases samples that were held back because there were too few of them.
        if !expectsMore { wakeIfNeeded() }
    }

    public func setDevice(_ uniqueID: String?) {
        settings.withLock { $0.device = uniqueID }
        signals.deviceDidChange.store(true, ordering: .releasing)
        member.wake()
    }

    public func setTitle(_ title: String) {
        settings.withLock { $0.title = title }
        signals.titleDidChange.store(true, ordering: .releasing)
        member.wake()
    }

    public func setNoticeHandler(_ handler: @escaping @Sendable (AudioDeviceNotice) -> Void) {
        signals.onNotice.withLock { $0 = handler }
    }

    private func shutDown() {
        settings.withLock { $0.isFinished = true }
        member.close()
    }

    /// The length of the server's buffer. A shorter one underruns on a busy machine, and a longer one delays
    /// responses.
    static let serverBufferSeconds = 0.2
    /// The length of the audio with which a stream starts.
    static let prefillSeconds = 0.1
    /// The longest time in nanoseconds that an active device plays ahead: 300 ms.
    private static let maximumUsualLead: Int64 = 300_000_000

    /// Returns the format that the sink accepts for a format. More than eight channels are mixed to stereo.
    private static func accepted(_ format: AudioFormat) -> AudioFormat {
        let isUsual = (1...8).contains(format.channelCount)
        return AudioFormat(
            sampleRate: max(8000, min(192_000, format.sampleRate)),
            channelLayout: isUsual ? format.channelLayout : .stereo,
            sampleFormat: .float
        )
    }
}
