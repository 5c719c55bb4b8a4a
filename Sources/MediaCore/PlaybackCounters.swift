/// What a player did since it was made, each number defined in words.
public struct PlaybackCounters: Hashable, Sendable {
    /// Frames that the renderer took from a decoder, shown or not.
    public var framesDecoded = 0
    /// Frames handed to the layers.
    public var framesPresented = 0
    /// Video frames not shown because the one after them was already due, and those left undecoded because
    /// decoding was too slow for the rate.
    public var framesDropped = 0
    /// Frames shown later than `lateThreshold` after they were due.
    public var framesLate = 0
    /// Frames that sinks were too slow to take, added up over all sinks of all layers.
    public var framesSkippedBySinks = 0
    /// Frames made in another shape or pixel format for sinks: one for all sinks of a player with equal wants.
    public var framesConverted = 0
    /// Host nanoseconds between due and shown: the largest, and the sum over all shown.
    public var worstLateness: Int64 = 0
    /// Nanoseconds by which frames were shown after they were due, added up over all of them.
    public var totalLateness: Int64 = 0
    /// Samples per channel handed to the audio sink.
    public var audioSamples = 0
    /// Times that an audio device ran out of samples that should have been there.
    public var audioUnderruns = 0
    /// Packets that could not be read or decoded.
    public var faults = 0
    /// Times that playing ran out of data and stood still.
    public var stalls = 0
    /// Host nanoseconds from running out of data to having enough of it again, over all stalls that are over.
    /// A seek, another item or a failure ends a stall too.
    public var totalStallTime: Int64 = 0
    /// Bytes of compressed data taken from containers for the tracks that are played, ahead of what is shown.
    /// What else lies in a file (its index, other tracks) is not counted.
    public var bytesRead = 0
    /// Seeks that were begun; not those that another one replaced while they waited for their turn.
    public var seeks = 0
    /// Times that another variant has taken over while an item was open.
    public var variantChanges = 0
    /// Bits per second at most of the variant that is played, as the playlist says; 0 where there is no choice.
    public var indicatedBitRate = 0.0
    /// Bits per second that came over the network when that was measured last, for a playlist with variants; 0: never.
    public var observedBitRate = 0.0
    /// Passes played to their end.
    public var passes = 0
    /// Host nanoseconds from the item's arrival to its first frame (or audio) at the sinks; nil before.
    public var startupTime: Int64?

    /// A frame is late when it is shown this many nanoseconds after its time: half a frame at 60 per
    /// second, which is about what an eye forgives.
    public static let lateThreshold: Int64 = 8_000_000

    /// All zero.
    public init() {}
}
