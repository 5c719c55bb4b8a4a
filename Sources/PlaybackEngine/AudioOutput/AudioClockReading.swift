package import MediaCore
import PlayheadBackend

/// What is heard when, measured against the timeline.
package struct AudioClockReading: Hashable, Sendable {
    /// The sample that belongs here on the timeline is heard at `host`.
    package var media: TimelineTime
    package var host: HostTime
    /// Nanoseconds between writing a sample and hearing it.
    package var latency: Int64
    /// How often samples were missing so far.
    package var underruns: Int
    /// The timeline's epoch when the audio was written.
    package var epoch: Epoch

    package init(media: TimelineTime, host: HostTime, latency: Int64 = 0, underruns: Int = 0, epoch: Epoch) {
        self.media = media
        self.host = host
        self.latency = latency
        self.underruns = underruns
        self.epoch = epoch
    }
}
