package import MediaCore
import PlayheadBackend

/// A measurement of the audio device against the timeline.
package struct AudioClockReading: Hashable, Sendable {
    /// The timeline position of the sample that is heard at `host`.
    package var media: TimelineTime
    package var host: HostTime
    /// The time between writing a sample and hearing it, in nanoseconds.
    package var latency: Int64
    /// The number of underruns so far.
    package var underruns: Int
    /// The epoch of the timeline when the audio was written.
    package var epoch: Epoch

    package init(media: TimelineTime, host: HostTime, latency: Int64 = 0, underruns: Int = 0, epoch: Epoch) {
        self.media = media
        self.host = host
        self.latency = latency
        self.underruns = underruns
        self.epoch = epoch
    }
}
