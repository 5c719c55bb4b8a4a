public import MediaCore

/// Makes audio shorter or longer. Calls come one at a time.
///
/// Time is exact: what comes out for a stretch of audio lasts as long as the stretch divided by the rate, to
/// the sample, and each buffer's presentation time is that of the item's audio that is heard in it.
public protocol AudioTimeStretcher: AnyObject, Sendable {
    /// From the next sample to come out on; what is under way is neither lost nor begun anew, and nothing
    /// clicks. `rate`: above 0; beyond `AudioTempo.rates` the audio is silence of the right length.
    func set(rate: Double, algorithm: AudioTimePitchAlgorithm)
    /// What was heard just before the first buffer, unstretched.
    func prime(with buffer: AudioBuffer)
    /// All buffers are of one format until `finish` or `reset`. What comes out has the same format.
    func stretch(_ buffer: AudioBuffer) -> [AudioBuffer]
    /// The rest. Its last sample is the last one that went in, so that audio which is not stretched can follow
    /// without a seam; the stretcher is as new.
    func finish() -> [AudioBuffer]
    /// Forgets what it holds; the stretcher is as new.
    func reset()
}
