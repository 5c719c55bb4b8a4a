import MediaCore
import PlayheadBackend

/// The limits up to which the stages work ahead.
package struct PipelineLimits: Hashable, Sendable {
    package var packets: QueueLimits
    package var videoFrames: QueueLimits
    package var audioBuffers: QueueLimits

    package init(packets: QueueLimits, videoFrames: QueueLimits, audioBuffers: QueueLimits) {
        self.packets = packets
        self.videoFrames = videoFrames
        self.audioBuffers = audioBuffers
    }

    /// The limits for files and other fast sources. They are low because the data is available on demand. Four frames
    /// compensate for the jitter of a decoder, and 100 MiB hold two 8K frames.
    package static let local = PipelineLimits(
        packets: QueueLimits(bytes: 4 << 20, duration: 1_000_000_000),
        videoFrames: QueueLimits(count: 4, bytes: 100 << 20),
        audioBuffers: QueueLimits(count: 64, duration: 200_000_000)
    )
}
