import PlayheadCore

/// The points between which playback repeats. It repeats while both are set.
struct ControlLoop: Sendable {
    var start: MediaTime?
    var end: MediaTime?
}
