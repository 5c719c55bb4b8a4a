import MediaCore

extension MediaTime {
    /// The engine counts in nanoseconds.
    init(nanoseconds: Int64) { self.init(value: nanoseconds, timescale: 1_000_000_000) }
}
