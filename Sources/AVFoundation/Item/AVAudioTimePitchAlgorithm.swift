/// The algorithm that adapts audio to rates other than 1.
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
    /// The name of the algorithm.
    public let rawValue: String
    /// Creates an algorithm from its name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Treated like `timeDomain`, with exact rates.
    public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(rawValue: "LowQualityZeroLatency")
    /// Keeps the pitch; the default.
    public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
    /// Treated like `timeDomain`.
    public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
    /// The pitch follows the rate.
    public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")

    static let all: [AVAudioTimePitchAlgorithm] = [
        .lowQualityZeroLatency, .timeDomain, .spectral, .varispeed,
    ]
}
