/// The method by which audio is adapted to a playback rate other than 1.
public enum AudioTimePitchAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// Keeps the pitch, for both speech and music: short pieces of audio are overlapped more or less, where their
    /// waveforms match.
    case timeDomain
    /// Changes the pitch together with the rate, like a tape.
    case varispeed

    /// AVPlayer's best algorithm for music; here the same as `timeDomain`.
    public static var spectral: Self { .timeDomain }
    /// AVPlayer's cheapest algorithm, which limits the rate to a few steps; here the same as `timeDomain`, with exact
    /// rates.
    public static var lowQualityZeroLatency: Self { .timeDomain }
}
