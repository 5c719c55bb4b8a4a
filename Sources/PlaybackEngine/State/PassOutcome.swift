package import MediaCore

/// How a pass ended. A pass begins when an item becomes the current one, and again when playing goes on after
/// an outcome: a loop's next pass, a seek or a turn away from the end, playing on from the end.
package enum PassOutcome: Hashable, Sendable {
    case playedToEnd
    /// Another item took its place.
    case replaced
    /// It was taken off, and nothing took its place.
    case stopped
    case failed(MediaError)
}
