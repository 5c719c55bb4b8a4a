public import MediaCore

/// Which sample a device plays when.
public struct AudioDevicePosition: Hashable, Sendable {
    /// Counted from the first sample written since the last `flush`, as if each one had been played: one that
    /// came too late was left out, and one that was missing was silence.
    public var frame: Int64
    /// When that sample is heard; as a rule a little later than now.
    public var heardAt: HostTime
    /// When this was measured.
    public var measuredAt: HostTime
    /// Calls of `flush` that the device has carried out; a position of another count is of no use.
    public var flushes: Int

    /// Sample `frame` is heard at `heardAt`, as known at `measuredAt`, after so many flushes.
    public init(frame: Int64, heardAt: HostTime, measuredAt: HostTime, flushes: Int) {
        self.frame = frame
        self.heardAt = heardAt
        self.measuredAt = measuredAt
        self.flushes = flushes
    }
}
