internal import Glibc
public import MediaCore
public import PlayheadBackend
internal import Synchronization

/// Audio for a PulseAudio server, or whatever speaks its protocol (PipeWire).
///
/// No call waits for the server: what is asked is done by a thread that all sinks of the process with one server and
/// one application name share. They are one client of the server: the first sink that is prepared connects, the last
/// one that is finished takes the connection and the thread with it. Without a server, or when it
/// goes away, the sinks take nothing and look for it again together: after 50 ms, then less and less often, up to each
/// 400 ms, or each 5 s where there never was one. The player meanwhile goes by the host's clock.
///
/// Samples are 32 bit floating point in the format of the first audio, in one stream that stays open until
/// `finish`. Loudness changes within 10 ms, in the sink: the stream's own volume belongs to the user's mixer.
public final class PulseAudioSink: AudioDeviceSink {
    /// What there is to tell about the server; on a queue of the sink's own, in order. It may take its time, and may call
    /// any sink. None begins after `finish`.
    public enum Notice: Hashable, Sendable {
        /// Audio is heard from the device with this name.
        case connected(device: String)
        /// Nothing is heard, and why. Told once, until it has been heard again.
        case unavailable(String)
        /// The device that was asked for is not there; the server's default is used.
        case deviceNotFound(String)
    }

    /// What the sink and its part of the connection share.
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

    /// `device`: a sink's name as the server knows it; nil: its default. `title` and `applicationName`: as mixers
    /// show them; by default the program's name. `server`: its address; nil: as libpulse finds it. `clock`: the
    /// player's; nil: the machine's monotonic one.
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
            clock: clock ?? MonotonicClock(),
            onNotice: onNotice
        )
    }

    deinit { shutDown() }

    // MARK: AudioSink

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
    public var startDelay: Int64 {
        guard signals.isPlayable else { return 0 }
        let horizon = HostTime(nanoseconds: signals.horizon.load(ordering: .relaxed))
        let ahead = horizon.nanoseconds(since: member.clock.now)
        return max(signals.startDelay.load(ordering: .relaxed), ahead > Self.maximumUsualLead ? ahead : 0)
    }
    public var lead: Int64 { 400_000_000 }
    public var underruns: Int {
        signals.serverUnderruns.load(ordering: .relaxed) + (settings.withLock { $0.ring }?.underruns ?? 0)
    }
    public var deviceName: String? { signals.deviceName.withLock { $0 } }

    public var writableFrameCount: Int {
        // Before there ever was a server what comes is kept; later it would be stale.
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
        // What was held back because it is so little goes out.
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

    /// From here to the loudspeaker. Less makes it run dry on a busy machine, more makes it slow to answer.
    static let serverBufferSeconds = 0.2
    /// Where so much is there a stream begins.
    static let prefillSeconds = 0.1
    /// 300 ms: a device that is being used is not so far ahead of itself.
    private static let maximumUsualLead: Int64 = 300_000_000

    /// What is not mono or of up to eight channels is mixed to stereo.
    private static func accepted(_ format: AudioFormat) -> AudioFormat {
        let isUsual = (1...8).contains(format.channelCount)
        return AudioFormat(
            sampleRate: max(8000, min(192_000, format.sampleRate)),
            channelLayout: isUsual ? format.channelLayout : .stereo,
            sampleFormat: .float
        )
    }
}
