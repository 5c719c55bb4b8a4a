public import MediaCore

/// An `AudioSink` that plays through a device with a clock of its own. The engine follows that clock.
///
/// No call waits for a device or for its server. Samples that are written while there is no device are kept up
/// to the capacity that `writableFrameCount` reports.
///
/// Properties marked *any thread* may be read at any time. The engine makes all other calls one at a time on
/// the audio output's lane.
public protocol AudioDeviceSink: AudioSink {
    /// Announces that audio will be written soon, so that a slow step such as connecting can begin. The default
    /// does nothing.
    func prepare()
    /// The sample being played, or nil if no device is connected, or if it is suspended or paused. Any thread.
    var position: AudioDevicePosition? { get }
    /// True while the sink is still finding out whether a device is available. A start may wait briefly for the
    /// result. Any thread. The default is false.
    var isConnecting: Bool { get }
    /// The delay from the start until the first sample is heard, as far as it is known. Any thread.
    var startDelay: Duration { get }
    /// The lead time: audio should be written this long before it is due. Any thread.
    var lead: Duration { get }
    /// The number of samples per channel that can be written now.
    var writableFrameCount: Int { get }
    /// The number of underruns since the sink was created. Any thread.
    var underruns: Int { get }
    /// The name of the device that is in use, or nil if there is none. Any thread. The default is nil.
    var deviceName: String? { get }
    /// Skips samples in order to catch up, or inserts silence.
    ///
    /// - Parameter frames: The number of samples per channel to skip, starting with the next one to be played.
    ///   If negative, that many samples of silence are played before it.
    func skip(_ frames: Int64)
    /// Discards written samples that the device has not begun to play.
    ///
    /// The next samples that are written replace the discarded ones without a click.
    ///
    /// - Parameter frame: The index of the first sample to discard, counted as in `position`.
    /// - Returns: The index of the next sample to be written, or nil if nothing can be discarded. It is later
    ///   than `frame` if the device has already taken some of the samples. The default returns nil.
    func rewind(to frame: Int64) -> Int64?
    /// Sets the volume without a click. It also applies to samples that have been written but not yet played.
    ///
    /// - Parameter volume: The volume from 0 to 1; 0 if the player is muted.
    func setVolume(_ volume: Float)
    /// Declares whether more samples will follow.
    ///
    /// If false, running out of samples is not an underrun. The next write sets it to true again. The default
    /// does nothing.
    ///
    /// - Parameter expectsMore: Whether the engine will write more samples.
    func setExpectsMore(_ expectsMore: Bool)
    /// Selects the device to play on. The default does nothing.
    ///
    /// - Parameter uniqueID: The unique name of the device. If nil, the sink uses the server's default device
    ///   and follows it when the default changes.
    func setDevice(_ uniqueID: String?)
    /// Sets the title that a mixer shows for this stream. Any thread. The default does nothing.
    func setTitle(_ title: String)
    /// Sets the handler that receives the device's notices. Called once, before any other call. The default
    /// does nothing.
    ///
    /// The device calls the handler on any thread, in order, and reports the end of each interruption exactly
    /// once.
    ///
    /// - Parameter handler: Receives each notice. It must not block.
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
