public import MediaCore

extension MediaTime {
    /// So many milliseconds.
    public static func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
}

extension HostTime {
    /// So many milliseconds after the driver's zero.
    public static func ms(_ value: Int64) -> HostTime { HostTime(nanoseconds: value * 1_000_000) }
}
