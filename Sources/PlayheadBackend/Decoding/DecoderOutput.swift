public import MediaCore

/// What a decoder has for its caller.
public enum DecoderOutput: Sendable {
    /// The next frame, in the order in which frames are shown.
    case video(VideoFrame)
    /// The next samples.
    case audio(AudioBuffer)
    /// Nothing until another packet is sent.
    case needsInput
    /// Drained: nothing more until `flush()`.
    case ended
}
