import Dispatch
import FFmpeg
import Logging
import MediaCore
import PlaybackEngine
import PlayheadBackend

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
