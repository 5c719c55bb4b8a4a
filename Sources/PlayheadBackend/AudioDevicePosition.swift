public import MediaCore

/// The sample that an audio device plays at a given time.
///
/// Host times are those of the player's clock (`Player.hostTime`). Of a player in real time they are the nanoseconds of
/// the system's clock `CLOCK_MONOTONIC`.
public struct AudioDevicePosition: Hashable, Sendable {
    /// The sample index, counted from the first sample written since the last `flush`.
    ///
    /// The index advances as if each sample had been played: a sample that arrived too late was skipped, and a
    /// missing sample was replaced by silence.
    public var frame: Int64
    /// The time at which the sample is heard, usually slightly later than now.
    public var heardAt: HostTime
    /// The time of the measurement.
    public var measuredAt: HostTime
    /// The number of `flush` calls that the device has carried out. A position with another count is obsolete.
    public var flushes: Int

    /// Creates a position.
    ///
    /// - Parameters:
    ///   - frame: The index of a sample, counted from the last `flush`.
    ///   - heardAt: The time at which that sample is heard.
    ///   - measuredAt: The time of the measurement.
    ///   - flushes: The number of `flush` calls that the device has carried out.
    public init(frame: Int64, heardAt: HostTime, measuredAt: HostTime, flushes: Int) {
        self.frame = frame
        self.heardAt = heardAt
        self.measuredAt = measuredAt
        self.flushes = flushes
    }
}
