import MediaCore

/// Which decodable place a seek may land on.
public enum SeekPreference: Hashable, Sendable {
    /// The last sync point at or before the target: what an exact seek starts from.
    case atOrBefore
    /// The first sync point at or after the target.
    case atOrAfter
}
