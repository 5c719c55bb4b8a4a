import MediaCore
import PlayheadBackend

/// What keeps timeline and audio together. Durations are nanoseconds.
package enum AudioClockCorrection: Hashable, Sendable {
    /// The timeline runs so many millionths faster than its rate; below zero: slower.
    case pace(Int64)
    /// The timeline stands still for so long.
    case hold(Int64)
    /// The timeline leaps so far ahead.
    case step(Int64)
    /// So much of the audio is left out; below zero: so much silence goes before it.
    case moveAudio(Int64)
    /// The audio begins anew where the timeline is.
    case restartAudio
}
