import MediaCore

/// The limits of time stretching.
public enum AudioTempo {
    /// The rates at which audio is played. Outside this range, and during reverse playback, the output is
    /// silence.
    public static let rates = 0.25...4.0
    /// Returns how much of the item a stretcher must have received ahead of its output, in seconds.
    ///
    /// - Parameter rate: The playback rate.
    public static func lookahead(at rate: Double) -> Double { 0.025 + 0.01 * max(1, min(4, rate)) }
}
