import MediaCore

/// Which frames are not decoded, where there is not time enough for all.
public enum DecodeSkipping: Int, Hashable, Sendable, Comparable {
    /// All frames are decoded.
    case none
    /// Those that no other frame refers to.
    case nonReference
    /// All but those that can be decoded by themselves.
    case allButKeyFrames

    public static func < (a: DecodeSkipping, b: DecodeSkipping) -> Bool { a.rawValue < b.rawValue }
}
