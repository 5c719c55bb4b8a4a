public import MediaCore

/// Changes the duration of audio.
///
/// Calls are made one at a time, on any thread. The timing is exact to the sample: the output for a range of
/// audio lasts as long as that range divided by the rate, and the presentation time of each buffer is the item
/// time of the audio that it contains.
public protocol AudioTimeStretcher: AnyObject, Sendable {
    /// Sets the rate and the algorithm, from the next output sample on. Audio that is being processed is
    /// neither lost nor repeated, and there is no click.
    ///
    /// - Parameters:
    ///   - rate: The playback rate, greater than 0. Outside `AudioTempo.rates` the output is silence of the
    ///     right duration.
    ///   - algorithm: Whether the pitch is preserved, and how.
    func set(rate: Double, algorithm: AudioTimePitchAlgorithm)
    /// Supplies the unstretched audio that was played immediately before the first buffer.
    ///
    /// - Parameter buffer: The preceding audio.
    func prime(with buffer: AudioBuffer)
    /// Stretches a buffer.
    ///
    /// - Parameter buffer: The audio to stretch. All buffers have the same format until `finish()` or `reset()`
    ///   is called.
    /// - Returns: The stretched audio that is complete, in the format of `buffer`. The array may be empty.
    func stretch(_ buffer: AudioBuffer) -> [AudioBuffer]
    /// Returns the remaining audio and resets the stretcher.
    ///
    /// The last output sample corresponds to the last input sample, so that unstretched audio can follow
    /// without a seam.
    func finish() -> [AudioBuffer]
    /// Discards the audio that the stretcher holds and returns it to its initial state.
    func reset()
}
