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
