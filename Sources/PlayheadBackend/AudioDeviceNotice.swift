import MediaCore

/// What a device has to tell of its own accord.
public enum AudioDeviceNotice: Hashable, Sendable {
    /// The system asks for quiet: a call comes in. Playing stops, and the device is paused.
    case interruptionBegan
    /// The system gives the audio back, or whoever asked for quiet is gone.
    case interruptionEnded
}
