import Dispatch
import FFmpeg
import Logging
public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Where a player's audio goes.
public enum AudioOutput: Sendable {
    /// PulseAudio's server, or whatever speaks its protocol; where there is none, silence in real time and one
    /// warning to the log. No device is opened where time is not the machine's (`ClockMode.virtual`, a driver).
    case automatic
    /// No audio is decoded, but that of an item with audio alone: its time runs in silence.
    case none
    /// A sink of the caller's: a file, a closure, a device (`AudioDeviceSink`).
    case sink(any AudioSink)
    /// The same where several players are made with one configuration (`PlayheadFeed`): called once for each of them.
    case sinkForEach(@Sendable () -> any AudioSink)
}
