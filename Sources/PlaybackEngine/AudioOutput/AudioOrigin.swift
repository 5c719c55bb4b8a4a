import MediaCore
import PlayheadBackend

/// The information that accompanies a buffer to the sink.
struct AudioOrigin: Sendable {
    /// The playback rate: seconds of the item per second of host time.
    var rate = 1.0
    var track: Int?
    var settings = AudioSettingsSource()
}
