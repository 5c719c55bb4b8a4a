import FFmpeg
import Logging
import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The amounts of data that a player reads ahead, keeps after playback, and requires to play.
///
/// The policy distinguishes local items (files, and byte sources that do not declare otherwise) from items that are
/// read over a network (`ByteSource.isLocal` is false).
public struct BufferingPolicy: Hashable, Sendable {
    /// The amounts for one kind of item, in durations of media and in bytes.
    public struct Amounts: Hashable, Sendable {
        /// The duration to read ahead of decoding. `PlayerItem.preferredForwardBufferDuration` takes
        /// precedence.
        public var forwardDuration: Duration
        /// The maximum number of bytes to read ahead of decoding. Reading pauses when either limit is reached.
        public var forwardBytes: Int
        /// The duration of played data to keep, starting at a sync point. A seek within the kept data and
        /// the data that was read ahead reads nothing.
        public var backDuration: Duration
        /// The maximum number of bytes of played data to keep. 0 keeps nothing.
        public var backBytes: Int
        /// The duration that every track must have buffered before playback starts. The first frame must be
        /// decoded as well.
        public var startDuration: Duration
        /// The duration that every track must have buffered before playback resumes after a stall.
        public var resumeDuration: Duration

        init(_ rules: BufferRules) {
            forwardDuration = .nanoseconds(rules.limits.packets.duration)
            forwardBytes = rules.limits.packets.bytes
            backDuration = .nanoseconds(rules.back.duration)
            backBytes = rules.back.bytes
            startDuration = .nanoseconds(rules.start)
            resumeDuration = .nanoseconds(rules.resume)
        }
    }

    /// The amounts for local items: 1 s and 4 MB ahead, 2 s and 4 MB kept; 0.1 s to start and 0.5 s to resume.
    public var local = Amounts(.local)
    /// The amounts for network items: 20 s and 32 MB ahead, 10 s and 16 MB kept; 1 s to start and 2 s to resume.
    ///
    /// In addition, the remaining data must be expected in time at the measured throughput. If that leaves a tenth of
    /// the throughput to spare, 0.3 of the start and resume durations suffice.
    public var network = Amounts(.network)
    /// The duration of local media to read ahead of decoding.
    public var forwardDuration: Duration {
        get { local.forwardDuration }
        set { local.forwardDuration = newValue }
    }
    /// The maximum number of bytes of local media to read ahead of decoding, regardless of their duration.
    public var forwardBytes: Int {
        get { local.forwardBytes }
        set { local.forwardBytes = newValue }
    }
    /// The number of decoded frames to keep ahead of the one that is shown. Nil, the default, means 4 in real
    /// time, which compensates for variations of the decoding time, and 1 on the virtual clock, on which no frame can
    /// be late.
    public var decodedFrameCount: Int?

    /// Creates a policy with the default amounts.
    public init() {}

    func rules(_ amounts: Amounts, isRealTime: Bool) -> BufferRules {
        var limits = PipelineLimits.local
        limits.packets.duration = Self.forward(amounts.forwardDuration)
        limits.packets.bytes = max(64 << 10, amounts.forwardBytes)
        limits.videoFrames.count = max(1, decodedFrameCount ?? (isRealTime ? 4 : 1))
        return BufferRules(
            limits: limits,
            back: QueueLimits(
                bytes: max(0, amounts.backBytes),
                duration: Self.nanoseconds(amounts.backDuration, atMost: .seconds(3600))
            ),
            start: Self.nanoseconds(amounts.startDuration, atMost: .seconds(600)),
            resume: Self.nanoseconds(amounts.resumeDuration, atMost: .seconds(600))
        )
    }

    /// Returns the duration to read ahead in nanoseconds.
    static func forward(_ duration: Duration) -> Int64 {
        max(50_000_000, nanoseconds(duration, atMost: .seconds(600)))
    }

    /// Returns the duration to read ahead in nanoseconds. NaN counts as 0.
    static func forward(seconds: Double) -> Int64 {
        forward(.seconds(seconds > 0 ? min(seconds, 600) : 0))
    }

    /// Negative durations count as 0.
    private static func nanoseconds(_ duration: Duration, atMost limit: Duration) -> Int64 {
        max(.zero, min(limit, duration)).nanoseconds
    }
}
