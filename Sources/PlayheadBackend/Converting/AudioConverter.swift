public import MediaCore

/// Converts sample format, rate and channel layout without losing samples. Calls come one at a time.
public protocol AudioConverter: AnyObject, Sendable {
    /// Converted samples; may be fewer than `buffer` holds while the resampler fills. The input's format may
    /// change from call to call.
    func convert(_ buffer: AudioBuffer) throws(MediaError) -> AudioBuffer?
    /// What the resampler still holds.
    func drain() throws(MediaError) -> AudioBuffer?
    /// Forgets what it holds.
    func reset()
}
