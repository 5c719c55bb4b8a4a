import FFmpeg
import Logging
public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The destination of a player's audio.
public enum AudioDestination: Sendable {
    /// A PulseAudio server or a server with the same protocol, such as PipeWire. Without a server the player plays in
    /// real time without audio, and logs one warning. No device is opened if the time is not that of the host
    /// (`ClockMode.virtual`, `ClockMode.driver`).
    case automatic
    /// No destination. Audio is not decoded; an item with audio alone advances in silence.
    case none
    /// A sink of the application: a file, a closure or a device (`AudioDeviceSink`).
    case sink(any AudioSink)
    /// A closure that creates a sink for each of several players with the same configuration (`PlayheadFeed`). It is
    /// called once for each player.
    case sinkForEach(@Sendable () -> any AudioSink)
}
