import MediaCore

/// The side of the target on which a seek looks for a sync point.
public enum SeekPreference: Hashable, Sendable {
    /// The last sync point at or before the target, where the decoding for an exact seek begins.
    case atOrBefore
    /// The first sync point at or after the target.
    case atOrAfter
}
