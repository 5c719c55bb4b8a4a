/// How the audio's device is doing, and how playing follows it.
public struct AudioDeviceFacts: Hashable, Sendable {
    /// nil: nothing is heard.
    public var device: String?
    /// The device drives the time line; false: the host's clock does.
    public var isClock = false
    /// Nanoseconds from handing a sample to the device until it is heard.
    public var latency: Int64 = 0
    /// How much faster than the host's clock the device plays, in millionths; below zero: slower.
    public var drift: Double = 0
    /// Nanoseconds by which the audio was ahead of the time line when last measured; below zero: behind.
    public var offset: Int64 = 0
    /// The largest `offset` without its sign since playing last got in step with the device.
    public var worstOffset: Int64 = 0
    /// How often the time line was held still or moved forward to be in step, and how often audio was left out or
    /// held back.
    public var corrections = 0

    /// No device: nothing is heard, and the host's clock drives the time line.
    public init() {}
}
