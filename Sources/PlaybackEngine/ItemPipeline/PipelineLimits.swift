import MediaCore
import PlayheadBackend
import Synchronization

/// How far ahead the stages work.
package struct PipelineLimits: Hashable, Sendable {
    package var packets: QueueLimits
    package var videoFrames: QueueLimits
    package var audioBuffers: QueueLimits

    package init(packets: QueueLimits, videoFrames: QueueLimits, audioBuffers: QueueLimits) {
        self.packets = packets
        self.videoFrames = videoFrames
        self.audioBuffers = audioBuffers
    }

    /// For files and other fast sources: little ahead, for the data is there when it is asked for. Four
    /// frames ride out a decoder's jitter; a hundred megabytes hold two of 8K.
    package static let local = PipelineLimits(
        packets: QueueLimits(bytes: 4 << 20, duration: 1_000_000_000),
        videoFrames: QueueLimits(count: 4, bytes: 100 << 20),
        audioBuffers: QueueLimits(count: 64, duration: 200_000_000)
    )
}
