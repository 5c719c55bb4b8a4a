/// How audio is fitted to another speed than its own.
public enum AudioTimePitchAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// Keeps the pitch, for speech and music alike: short pieces of audio are laid closer together or further
    /// apart, where their waveforms match.
    case timeDomain
    /// The pitch follows the speed, as with a tape.
    case varispeed

    /// AVPlayer's best for music; here `timeDomain` serves both.
    public static var spectral: Self { .timeDomain }
    /// AVPlayer's cheapest, which holds the rate to a few steps; here `timeDomain`, and every rate is exact.
    public static var lowQualityZeroLatency: Self { .timeDomain }
}

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

/// What can be done to the tempo of audio.
public enum AudioTempo {
    /// Rates at which there is audio; beyond them is silence, and so there is backward.
    public static let rates = 0.25...4.0
    /// Seconds of the item that a stretcher has to know ahead of what it gives out at `rate`.
    public static func lookahead(at rate: Double) -> Double { 0.025 + 0.01 * max(1, min(4, rate)) }
}
