import Dispatch
import FFmpeg
import Logging
public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// What decoding may cost.
public struct DecodingPolicy: Hashable, Sendable {
    /// Threads of one decoder; nil: chosen from the cores, the frame size and the players of the process.
    public var threadCount: Int?
    /// Frames with more pixels are refused before memory is taken for them.
    public var maximumPixelCount = 8192 * 4320
    /// Containers with more streams are refused.
    public var maximumStreamCount = 64
    /// The key frame that a start or a quick seek shows is decoded by itself, and then once more with those behind it: the first
    /// frame is there up to a quarter sooner, for the price of one. False: not where only the total counts.
    public var decodesFirstFrameAlone = true
    /// Which device decodes video; none, unless one is asked for: the processor gives the same frames on every machine.
    /// Still images are always decoded by the processor.
    public var hardware = HardwareDecoding.none

    /// `threadCount`: threads of one decoder, 1 or more; nil: the policy chooses.
    public init(threadCount: Int? = nil) { self.threadCount = threadCount }
}
