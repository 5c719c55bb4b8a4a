public import MediaCore

extension MediaTime {
    /// Returns a media time in milliseconds.
    ///
    /// - Parameter value: The number of milliseconds.
    /// - Returns: The time.
    public static func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
}

extension HostTime {
    /// Returns a host time in milliseconds after the driver's zero.
    ///
    /// - Parameter value: The number of milliseconds.
    /// - Returns: The time.
    public static func ms(_ value: Int64) -> HostTime { HostTime(nanoseconds: value * 1_000_000) }
}
