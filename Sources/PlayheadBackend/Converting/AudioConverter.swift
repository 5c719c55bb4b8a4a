public import MediaCore

/// Converts the sample format, sample rate and channel layout of a stream without losing samples.
///
/// Calls are made one at a time, on any thread.
public protocol AudioConverter: AnyObject, Sendable {
    /// Converts a buffer.
    ///
    /// - Parameter buffer: The samples to convert. Their format may change from call to call.
    /// - Returns: The converted samples, or nil if there are none yet. While the resampler fills, there may be
    ///   fewer samples than `buffer` holds.
    /// - Throws: `MediaError` with the code `.conversionFailed` if the format cannot be converted.
    func convert(_ buffer: AudioBuffer) throws(MediaError) -> AudioBuffer?
    /// Returns the samples that the resampler still holds, or nil if there are none.
    ///
    /// - Throws: `MediaError` with the code `.conversionFailed` if the remaining samples cannot be converted.
    func drain() throws(MediaError) -> AudioBuffer?
    /// Discards the samples that the resampler holds.
    func reset()
}
