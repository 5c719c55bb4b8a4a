/// The bytes of packets that an item may hold, regardless of its buffer rules.
package struct PacketShare: Hashable, Sendable {
    /// The limit for packets that are read ahead.
    package var ahead: Int
    /// The limit for packets that are retained after they have been played.
    package var back: Int

    package init(ahead: Int, back: Int) {
        self.ahead = ahead
        self.back = back
    }
}

/// The amounts of an item that are buffered, and the amounts that playback requires.
package struct BufferRules: Hashable, Sendable {
    /// The limits up to which the stages work ahead.
    package var limits: PipelineLimits
    /// The limits of what is retained after it has been played, for seeks.
    package var back: QueueLimits
    /// The buffered duration that starts playback, in nanoseconds.
    package var start: Int64
    /// The buffered duration that resumes playback after a stall, in nanoseconds.
    package var resume: Int64

    package init(limits: PipelineLimits, back: QueueLimits, start: Int64, resume: Int64) {
        self.limits = limits
        self.back = back
        self.start = start
        self.resume = resume
    }

    /// The rules for files: the first frame and a little audio suffice, because the rest is available on demand.
    package static let local = BufferRules(
        limits: .local,
        back: QueueLimits(bytes: 4 << 20, duration: 2_000_000_000),
        start: 100_000_000,
        resume: 500_000_000
    )

    package static let network = BufferRules(
        limits: PipelineLimits(
            packets: QueueLimits(bytes: 32 << 20, duration: 20_000_000_000),
            videoFrames: PipelineLimits.local.videoFrames,
            audioBuffers: PipelineLimits.local.audioBuffers
        ),
        back: QueueLimits(bytes: 16 << 20, duration: 10_000_000_000),
        start: 1_000_000_000,
        resume: 2_000_000_000
    )
}
