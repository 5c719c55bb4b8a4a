import MediaCore

/// A notice that an audio device sends on its own initiative.
public enum AudioDeviceNotice: Hashable, Sendable {
    /// The system interrupts the audio, for example for an incoming call. Playback stops, and the device is
    /// paused.
    case interruptionBegan
    /// The system ends the interruption, or the application that caused it has exited.
    case interruptionEnded
}
