public import MediaCore

/// How a decoder may spend memory and threads.
public struct DecoderOptions: Hashable, Sendable {
    /// Threads to decode with; 0 lets the policy choose from the cores, the frame size and `sharing`.
    public var threadCount: Int
    /// How many players are likely to decode at the same time in this process, at least 1.
    public var sharing: Int
    /// No more threads than these, at least one, whatever else is set; nil: as many as that comes to.
    public var maximumThreadCount: Int?
    /// Frames with more pixels than this are refused before memory is taken for them.
    public var maximumPixelCount: Int
    /// The first frame of a start is worth decoding twice, to have it sooner; see `Decoder.hasOutputDelay`.
    public var decodesFirstFrameAlone = true
    /// Each frame is made into another one beside the decoder, as soon as it is there: one thread more fills the cores
    /// while some wait for each other.
    public var sharesCoresWithConversion = false
    /// Which device decodes video.
    public var hardware = HardwareDecoding.none

    /// By default the policy chooses the threads for one player alone, and pictures may be as large as 8192
    /// x 4320.
    public init(threadCount: Int = 0, sharing: Int = 1, maximumPixelCount: Int = 8192 * 4320) {
        self.threadCount = threadCount
        self.sharing = sharing
        self.maximumPixelCount = maximumPixelCount
    }
}
