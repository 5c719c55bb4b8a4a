import MediaCore

/// The frames that a decoder skips when decoding is too slow.
public enum DecodeSkipping: Int, Hashable, Sendable, Comparable {
    /// No frames are skipped.
    case none
    /// Frames that no other frame refers to are skipped.
    case nonReference
    /// All frames but key frames are skipped.
    case allButKeyFrames

    public static func < (a: DecodeSkipping, b: DecodeSkipping) -> Bool { a.rawValue < b.rawValue }
}
