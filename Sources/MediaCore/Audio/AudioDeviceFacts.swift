/// The state of the audio device, and how playback is synchronized with it.
public struct AudioDeviceFacts: Hashable, Sendable {
    /// The name of the device, or nil if no audio is heard.
    public var device: String?
    /// A Boolean value that indicates whether the device drives the timeline. If it is false, the host's clock does.
    public var isClock = false
    /// The time from delivering a sample to the device until it is heard.
    public var latency = Duration.zero
    /// The deviation of the device's speed from the host's clock, in parts per million; positive if the device is
    /// faster.
    public var drift: Double = 0
    /// The offset between audio and timeline at the last measurement; positive if the audio was ahead.
    public var offset = Duration.zero
    /// The largest magnitude of `offset` since playback was last synchronized with the device.
    public var worstOffset = Duration.zero
    /// The number of times that the timeline was held or moved forward for synchronization, or that audio was dropped
    /// or delayed.
    public var corrections = 0

    /// Creates the state without a device: no audio is heard, and the host's clock drives the timeline.
    public init() {}
}
