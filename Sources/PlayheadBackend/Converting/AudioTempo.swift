import MediaCore

/// What can be done to the tempo of audio.
public enum AudioTempo {
    /// Rates at which there is audio; beyond them is silence, and so there is backward.
    public static let rates = 0.25...4.0
    /// Seconds of the item that a stretcher has to know ahead of what it gives out at `rate`.
    public static func lookahead(at rate: Double) -> Double { 0.025 + 0.01 * max(1, min(4, rate)) }
}
