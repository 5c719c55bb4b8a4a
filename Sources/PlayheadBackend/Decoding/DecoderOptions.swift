public import MediaCore

/// The threads, memory and devices that a decoder may use.
public struct DecoderOptions: Hashable, Sendable {
    /// The number of decoding threads. If 0, the policy chooses it by the number of cores, the frame size and
    /// `sharing`.
    public var threadCount: Int
    /// The number of players that are expected to decode at the same time in this process, at least 1.
    public var sharing: Int
    /// An upper limit for the number of threads, at least 1, which applies whatever the other options are. If
    /// nil, there is no limit.
    public var maximumThreadCount: Int?
    /// The largest number of pixels in a frame. Larger frames are rejected before memory is allocated for them.
    public var maximumPixelCount: Int
    /// Whether the first frame after a start is decoded alone, and then a second time, so that it is available
    /// sooner. See `Decoder.hasOutputDelay`.
    public var decodesFirstFrameAlone = true
    /// Whether each decoded frame is converted on another thread at once. The decoder then uses one more
    /// thread, which keeps the cores busy while other threads wait for each other.
    public var sharesCoresWithConversion = false
    /// The device that decodes video.
    public var hardware = HardwareDecoding.none

    /// Creates options.
    ///
    /// - Parameters:
    ///   - threadCount: The number of decoding threads. If 0, the policy chooses it.
    ///   - sharing: The number of players that are expected to decode at the same time.
    ///   - maximumPixelCount: The largest number of pixels in a frame; 8192 x 4320 by default.
    public init(threadCount: Int = 0, sharing: Int = 1, maximumPixelCount: Int = 8192 * 4320) {
        self.threadCount = threadCount
        self.sharing = sharing
        self.maximumPixelCount = maximumPixelCount
    }
}
