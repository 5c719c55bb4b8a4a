import MediaCore

/// The kind of work that a lane runs. It determines which lanes take precedence, and how many lanes of a kind
/// run at the same time.
public enum LaneRole: Hashable, Sendable {
    /// The player's state, timeline and decisions. This work never blocks.
    case control
    /// Opening, demuxing, subtitles and still images, with reads that may block.
    case blockingIO
    /// Opening and reading local files, whose reads are short. Files have a thread limit of their own, so that
    /// blocking sources, in however many players, do not delay them.
    case fileIO
    /// Audio and video decoding, in turn. This work never blocks on I/O.
    case decoding
    /// The calls of one sink, one kind of conversion, the filter of one layer, the audio output, or the
    /// metering taps. They may be slow, and delay only their own lane.
    case output
}
