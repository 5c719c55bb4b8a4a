public import MediaCore

/// An `AudioSink` with a device behind it, which plays at a pace of its own: the engine follows it.
///
/// None of the calls waits, for a device or for its server. What is written while there is no device is kept as
/// far as `room` goes.
public protocol AudioDeviceSink: AudioSink {
    /// Audio is to be expected: what takes time (connecting) may begin.
    func prepare()
    /// What is being played; nil: nothing is, for the device is not there, suspended or paused. Any thread.
    var position: AudioDevicePosition? { get }
    /// Whether a device is there is being found out: a start may wait for the answer, for a moment. Any thread.
    var isConnecting: Bool { get }
    /// Nanoseconds from starting until the first sample is heard, as far as is known. Any thread.
    var startDelay: Int64 { get }
    /// How long before it is due audio is wanted, in nanoseconds. Any thread.
    var lead: Int64 { get }
    /// Samples per channel that can be written.
    var writableFrameCount: Int { get }
    /// How often samples were not there in time, since the sink was made. Any thread.
    var underruns: Int { get }
    /// What is heard now, in words; nil: nothing. Any thread.
    var deviceName: String? { get }
    /// Leaves out so many samples per channel of those to be played next, to catch up; below zero: plays so
    /// much silence before them.
    func skip(_ frames: Int64)
    /// Takes back what was written from sample `frame` on, counted as in `position`, as far as it is not under way
    /// to the device. What is written next takes its place, without a click. Returns the sample that is written
    /// next; nil: nothing can be taken back.
    func rewind(to frame: Int64) -> Int64?
    /// 0...1, after mute is applied; of what is in hand already, too, and without a click.
    func setVolume(_ volume: Float)
    /// False: nothing follows for the present, so that running out of samples is no fault. True again with the
    /// next samples.
    func setExpectsMore(_ expectsMore: Bool)
    /// By its unique name; nil: the server's default, and whatever becomes that later.
    func setDevice(_ uniqueID: String?)
    /// What is played, as a mixer shows it. Any thread.
    func setTitle(_ title: String)
    /// Set once, before anything else is called. The device calls it on any thread, in order, and for each beginning of an
    /// interruption once for its end. The handler does not wait.
    func setNoticeHandler(_ handler: @escaping @Sendable (AudioDeviceNotice) -> Void)
}

extension AudioDeviceSink {
    public func prepare() {}
    public var isConnecting: Bool { false }
    public func rewind(to frame: Int64) -> Int64? { nil }
    public func setExpectsMore(_ expectsMore: Bool) {}
    public func setDevice(_ uniqueID: String?) {}
    public func setTitle(_ title: String) {}
    public func setNoticeHandler(_ handler: @escaping @Sendable (AudioDeviceNotice) -> Void) {}
    public var deviceName: String? { nil }
}
