import FFmpeg
import Logging
public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The limits and options of decoding.
public struct DecodingPolicy: Hashable, Sendable {
    /// The number of threads of one decoder. Nil, the default, derives it from the number of cores, the frame size and
    /// the number of players in the process.
    public var threadCount: Int?
    /// The maximum number of pixels of a frame. Larger frames are rejected before memory is allocated for them.
    public var maximumPixelCount = 8192 * 4320
    /// The maximum number of streams of a container. Containers with more streams are rejected.
    public var maximumStreamCount = 64
    /// A Boolean value that indicates whether the key frame that a start or a fast seek shows is decoded separately
    /// first, and then once more with the following frames. The first frame is available up to a quarter sooner, at the
    /// cost of decoding one frame twice. Set it to false if only the total throughput matters.
    public var decodesFirstFrameAlone = true
    /// The device that decodes video. The default is none, because the CPU produces the same frames on every machine.
    /// Still images are always decoded by the CPU.
    public var hardware = HardwareDecoding.none

    /// Creates a policy.
    ///
    /// - Parameter threadCount: The number of threads of one decoder, 1 or more, or nil to derive it.
    public init(threadCount: Int? = nil) { self.threadCount = threadCount }
}
