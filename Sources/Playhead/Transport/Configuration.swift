public import Dispatch
import FFmpeg
public import Logging
public import MediaCore
import PlaybackEngine
public import PlayheadBackend

/// Which clock a player follows.
public enum ClockMode: Sendable {
    /// The machine's monotonic clock.
    case host
    /// Jumps to the next due moment: as fast as the machine can, nothing dropped, and the same events and
    /// frames every time.
    case virtual
    /// Time from a clock of the caller's; timers still run on the machine's.
    case custom(any HostClock)
    /// The caller decides when the stages run; see `PlayheadTesting.ManualDriver`.
    case driver(any Driver)
}

/// Where a player's audio goes.
public enum AudioOutput: Sendable {
    /// PulseAudio's server, or whatever speaks its protocol; where there is none, silence in real time and one
    /// warning to the log. No device is opened where time is not the machine's (`ClockMode.virtual`, a driver).
    case automatic
    /// No audio is decoded, but that of an item with audio alone: its time runs in silence.
    case none
    /// A sink of the caller's: a file, a closure, a device (`AudioDeviceSink`).
    case sink(any AudioSink)
    /// The same where several players are made with one configuration (`PlayheadFeed`): called once for each of them.
    case sinkForEach(@Sendable () -> any AudioSink)
}

/// What decoding may cost.
public struct DecodingPolicy: Hashable, Sendable {
    /// Threads of one decoder; nil: chosen from the cores, the frame size and the players of the process.
    public var threadCount: Int?
    /// Frames with more pixels are refused before memory is taken for them.
    public var maximumPixelCount = 8192 * 4320
    /// Containers with more streams are refused.
    public var maximumStreamCount = 64
    /// The key frame that a start or a quick seek shows is decoded by itself, and then once more with those behind it: the first
    /// frame is there up to a quarter sooner, for the price of one. False: not where only the total counts.
    public var decodesFirstFrameAlone = true
    /// Which device decodes video; none, unless one is asked for: the processor gives the same frames on every machine.
    /// Still images are always decoded by the processor.
    public var hardware = HardwareDecoding.none

    /// `threadCount`: threads of one decoder, 1 or more; nil: the policy chooses.
    public init(threadCount: Int? = nil) { self.threadCount = threadCount }
}

extension DecoderOptions {
    /// `sharing`: players that are likely to decode at the same time.
    init(_ policy: DecodingPolicy, sharing: Int) {
        self.init(
            threadCount: policy.threadCount ?? 0,
            sharing: sharing,
            maximumPixelCount: policy.maximumPixelCount
        )
        decodesFirstFrameAlone = policy.decodesFirstFrameAlone
        hardware = policy.hardware
    }
}

/// How far ahead a player reads, what it keeps, and how much it must have to play.
///
/// An item is of one of two sorts: its bytes are local (files, and byte sources that say nothing else), or
/// they come over a network (`ByteSource.isLocal` is false).
public struct BufferingPolicy: Hashable, Sendable {
    /// Bounds in seconds of media and in bytes, and thresholds in seconds of media.
    public struct Amounts: Hashable, Sendable {
        /// Read ahead of what is decoded; `PlayerItem.preferredForwardBufferDuration` goes before it.
        public var forwardDuration: Double
        /// The same in bytes; whichever is reached first.
        public var forwardBytes: Int
        /// Kept of what has been played, from the sync point before it on. A seek to what is kept or read
        /// ahead reads nothing.
        public var backDuration: Double
        /// The same in bytes; whichever is reached first. 0: nothing is kept.
        public var backBytes: Int
        /// At hand in every track before playing starts, and the first frame decoded.
        public var startDuration: Double
        /// At hand in every track before playing goes on after a stall.
        public var resumeDuration: Double

        init(_ rules: BufferRules) {
            forwardDuration = Double(rules.limits.packets.duration) / 1e9
            forwardBytes = rules.limits.packets.bytes
            backDuration = Double(rules.back.duration) / 1e9
            backBytes = rules.back.bytes
            startDuration = Double(rules.start) / 1e9
            resumeDuration = Double(rules.resume) / 1e9
        }
    }

    /// 1 s and 4 MB ahead, 2 s and 4 MB behind; a tenth of a second to start, half a second to resume.
    public var local = Amounts(.local)
    /// 20 s and 32 MB ahead, 10 s and 16 MB behind; 1 s to start, 2 s to resume, and the rest must be there in time, by the
    /// speed at which bytes come and what is missing. Where a tenth of that speed can be spared, 0.3 of these seconds are enough.
    public var network = Amounts(.network)
    /// Seconds of local media read ahead of what is decoded.
    public var forwardDuration: Double {
        get { local.forwardDuration }
        set { local.forwardDuration = newValue }
    }
    /// Bytes of local media read ahead of what is decoded, whatever their duration.
    public var forwardBytes: Int {
        get { local.forwardBytes }
        set { local.forwardBytes = newValue }
    }
    /// Decoded frames kept ahead of the one being shown; nil: 4 in real time, to ride out a decoder's
    /// jitter, and 1 on the virtual clock, where none can come late.
    public var pictures: Int?

    /// Both sorts with their defaults.
    public init() {}

    func rules(_ amounts: Amounts, isRealTime: Bool) -> BufferRules {
        var limits = PipelineLimits.local
        limits.packets.duration = Self.forward(amounts.forwardDuration)
        limits.packets.bytes = max(64 << 10, amounts.forwardBytes)
        limits.videoFrames.count = max(1, pictures ?? (isRealTime ? 4 : 1))
        return BufferRules(
            limits: limits,
            back: QueueLimits(
                bytes: max(0, amounts.backBytes),
                duration: Self.nanoseconds(amounts.backDuration, atMost: 3600)
            ),
            start: Self.nanoseconds(amounts.startDuration, atMost: 600),
            resume: Self.nanoseconds(amounts.resumeDuration, atMost: 600)
        )
    }

    /// Nanoseconds to read ahead.
    static func forward(_ seconds: Double) -> Int64 { max(50_000_000, nanoseconds(seconds, atMost: 600)) }

    /// What is no number counts as none.
    private static func nanoseconds(_ seconds: Double, atMost limit: Double) -> Int64 {
        seconds > 0 ? Int64(min(limit, seconds) * 1e9) : 0
    }
}

extension Player {
    /// How a player works. Every field has the default that most users want.
    public struct Configuration: Sendable {
        /// What time is, and how fast it goes.
        public var clock: ClockMode = .host
        /// Where audio goes; it is not changed later.
        public var audio: AudioOutput = .automatic
        /// What decoding may cost.
        public var decoding = DecodingPolicy()
        /// How far ahead is read, and how much there must be to play.
        public var buffering = BufferingPolicy()
        /// Where callbacks run, in order; nil: a serial queue of the player's own.
        public var callbackQueue: DispatchQueue?
        /// Where warnings and traces go; nowhere by default. Called from any thread.
        public var logger = Logger(label: "playhead") { _ in SwiftLogNoOpLogHandler() }
        /// Takes containers apart and decodes: FFmpeg, unless a test plugs in its own. An `Asset` that was made with a
        /// backend keeps it.
        public var backend: any MediaBackend = FFmpegBackend()

        /// Real time, a sound server if there is one, FFmpeg.
        public init() {}
    }
}

extension ClockMode {
    func makeDriver() -> any Driver {
        switch self {
        case .host: PoolDriver()
        case .virtual: VirtualDriver()
        case .custom(let clock): PoolDriver(clock: clock)
        case .driver(let driver): driver
        }
    }
}
