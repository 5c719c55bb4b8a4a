/// A change of the device or audio server that an audio sink plays on.
public enum AudioOutputNotice: Hashable, Sendable {
    /// Audio is played on the device with this name.
    case connected(device: String)
    /// No audio is played, for the given reason. Reported once until the sink is connected again.
    case unavailable(String)
    /// The requested device does not exist. The default device is used.
    case deviceNotFound(String)
}
