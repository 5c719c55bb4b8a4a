public import MediaCore

/// The result of `Decoder.receive()`.
public enum DecoderOutput: Sendable {
    /// The next video frame, in presentation order.
    case video(VideoFrame)
    /// The next audio samples.
    case audio(AudioBuffer)
    /// No output until another packet is sent.
    case needsInput
    /// The decoder has been drained. There is no more output until `flush()` is called.
    case ended
}
