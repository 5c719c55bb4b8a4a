import MediaCore
import PlayheadBackend

/// What goes with a buffer on its way to the sink.
struct AudioOrigin: Sendable {
    /// Item seconds in a second of host time.
    var rate = 1.0
    var track: Int?
    var settings = AudioSettingsSource()
}
