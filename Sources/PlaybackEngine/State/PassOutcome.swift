package import MediaCore

/// The way in which a pass ended.
///
/// A pass begins when an item becomes the current item. Another pass begins when playback continues after an outcome:
/// with the next iteration of a loop, with a seek or a change of direction away from the end, or when playback
/// resumes from the end.
package enum PassOutcome: Hashable, Sendable {
    case playedToEnd
    /// Another item became the current item.
    case replaced
    /// The item was removed and no other item replaced it.
    case stopped
    case failed(MediaError)
}
