import MediaCore
import PlayheadBackend

/// A correction that keeps the timeline and the audio synchronized. Durations are in nanoseconds.
package enum AudioClockCorrection: Hashable, Sendable {
    /// The timeline runs faster than its rate by this many millionths, or slower if the value is negative.
    case pace(Int64)
    /// The timeline stops for this long.
    case hold(Int64)
    /// The timeline moves ahead by this much.
    case step(Int64)
    /// This much of the audio is skipped, or preceded by silence if the value is negative.
    case moveAudio(Int64)
    /// The audio restarts at the position of the timeline.
    case restartAudio
}
