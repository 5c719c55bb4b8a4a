public import Dispatch
import FFmpeg
public import Logging
public import MediaCore
public import PlaybackEngine
import Synchronization

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

/// Where a player's sound goes.
public enum AudioOutput: Sendable {
    /// PulseAudio's server, or whatever speaks its protocol; where there is none, silence in real time and one
    /// warning to the log. No device is opened where time is not the machine's (`ClockMode.virtual`, a driver).
    case automatic
    /// No sound is decoded.
    case none
    case sink(any AudioSink)
}

/// What decoding may cost.
public struct DecodingPolicy: Hashable, Sendable {
    /// Threads of one decoder; nil: chosen from the cores, the picture size and the players of the process.
    public var threadCount: Int?
    /// Pictures with more pixels are refused before memory is taken for them.
    public var maximumPixelCount = 8192 * 4320
    /// Containers with more streams are refused.
    public var maximumStreamCount = 64

    public init(threadCount: Int? = nil) { self.threadCount = threadCount }
}

/// How far ahead a player reads.
public struct BufferingPolicy: Hashable, Sendable {
    /// Seconds of media read ahead of what is decoded.
    public var forwardDuration = 1.0
    /// Bytes of media read ahead of what is decoded, whatever their duration.
    public var forwardBytes = 4 << 20
    /// Decoded pictures kept ahead of the one being shown; nil: 4 in real time, to ride out a decoder's
    /// jitter, and 1 on the virtual clock, where none can come late.
    public var pictures: Int?

    public init() {}

    func limits(isRealTime: Bool) -> PipelineLimits {
        var limits = PipelineLimits.local
        limits.packets.duration = Int64(max(0.05, min(600, forwardDuration)) * 1e9)
        limits.packets.bytes = max(64 << 10, forwardBytes)
        limits.videoFrames.count = max(1, pictures ?? (isRealTime ? 4 : 1))
        return limits
    }
}

extension Player {
    /// How a player works. Every field has the default that most users want.
    public struct Configuration: Sendable {
        public var clock: ClockMode = .host
        public var audio: AudioOutput = .automatic
        public var decoding = DecodingPolicy()
        public var buffering = BufferingPolicy()
        /// Where callbacks run, in order; nil: a serial queue of the player's own.
        public var callbackQueue: DispatchQueue?
        public var logger = Logger(label: "playhead") { _ in SwiftLogNoOpLogHandler() }
        /// Takes containers apart and decodes: FFmpeg, unless a test plugs in its own.
        public var backend: any MediaBackend = FFmpegBackend()

        public init() {}
    }
}

extension ClockMode {
    func makeDriver() -> any Driver {
        switch self {
        case .host: DispatchDriver()
        case .virtual: VirtualDriver()
        case .custom(let clock): DispatchDriver(clock: clock)
        case .driver(let driver): driver
        }
    }
}

/// How many players of this process hold an item: they share the cores.
enum Census {
    private static let count = Atomic<Int>(0)
    static func enter() { count.add(1, ordering: .relaxed) }
    static func leave() { count.subtract(1, ordering: .relaxed) }
    static var players: Int { max(1, count.load(ordering: .relaxed)) }
}
