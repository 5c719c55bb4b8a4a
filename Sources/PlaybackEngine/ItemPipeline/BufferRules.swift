/// Bytes of packets that an item may hold, whatever its rules say.
package struct PacketShare: Hashable, Sendable {
    /// Of what is read ahead.
    package var ahead: Int
    /// Of what is kept of what has been played.
    package var behind: Int

    package init(ahead: Int, behind: Int) {
        self.ahead = ahead
        self.behind = behind
    }
}

/// How much of an item is at hand, and how much it takes to play.
package struct BufferRules: Hashable, Sendable {
    /// How far ahead the stages work.
    package var limits: PipelineLimits
    /// What is kept of what has been played, for seeks.
    package var back: QueueLimits
    /// Nanoseconds of media at hand before playing starts.
    package var start: Int64
    /// The same before playing goes on after it ran dry.
    package var resume: Int64

    package init(limits: PipelineLimits, back: QueueLimits, start: Int64, resume: Int64) {
        self.limits = limits
        self.back = back
        self.start = start
        self.resume = resume
    }

    /// For files: the first frame and a little audio, for the rest is there when it is asked for.
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
