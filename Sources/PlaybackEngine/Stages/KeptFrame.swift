import MediaCore

/// A frame that a decoder has kept and that a seek can show without decoding.
enum KeptFrame {
    /// The frame due at the target is kept. It is returned as soon as the packets arrive.
    case due
    /// A frame close to the target is kept.
    case near(VideoFrame)
}
