/// The counters of a player since it was created.
public struct PlaybackCounters: Hashable, Sendable {
    /// The number of frames received from decoders, whether or not they were shown.
    public var framesDecoded = 0
    /// The number of frames delivered to the layers.
    public var framesPresented = 0
    /// The number of frames that were not shown because the next frame was already due, or that were not decoded
    /// because decoding was too slow for the rate.
    public var framesDropped = 0
    /// The number of frames shown more than `lateThreshold` after they were due.
    public var framesLate = 0
    /// The number of frames that sinks were too slow to accept, added up over all sinks of all layers.
    public var framesSkippedBySinks = 0
    /// The number of frames converted to another size or pixel format for sinks. Sinks of a player with equal
    /// requirements share one conversion.
    public var framesConverted = 0
    /// The longest time between the moment when a frame was due and the moment when it was shown, on the
    /// host's clock.
    public var worstLateness = Duration.zero
    /// The sum of the times by which shown frames were late, on the host's clock.
    public var totalLateness = Duration.zero
    /// The number of samples per channel delivered to the audio sink.
    public var audioSamples = 0
    /// The number of times that the audio device ran out of samples although more were expected.
    public var audioUnderruns = 0
    /// The number of packets that could not be read or decoded.
    public var faults = 0
    /// The number of times that playback stopped because it ran out of data.
    public var stalls = 0
    /// The total duration of all stalls that have ended, on the host's clock: from running out of data until enough
    /// data was available again. A seek, another item and a failure end a stall, too.
    public var totalStallTime = Duration.zero
    /// The number of bytes of compressed data read ahead of playback for the tracks that are played. Other parts of a
    /// file, such as its index and other tracks, are not counted.
    public var bytesRead = 0
    /// The number of seeks that were started, without those that were replaced by another seek before they started.
    public var seeks = 0
    /// The number of times that playback switched to another variant while an item was open.
    public var variantChanges = 0
    /// The peak bit rate of the variant that is played, in bits per second, as the playlist declares it; 0 if the
    /// item has no variants.
    public var indicatedBitRate = 0.0
    /// The most recently measured network throughput in bits per second, for a playlist with variants; 0 before the
    /// first measurement.
    public var observedBitRate = 0.0
    /// The number of passes played to their end.
    public var passes = 0
    /// The time from setting the item to delivering its first frame or audio to the sinks; nil before that.
    public var startupTime: Duration?

    /// The lateness above which a frame counts as late: half a frame at 60 frames per second, which is
    /// about the limit of what viewers notice.
    public static let lateThreshold = Duration.milliseconds(8)

    /// Creates counters that are all zero.
    public init() {}
}
