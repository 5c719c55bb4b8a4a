/// Takes audio, as loud as it is to be heard: volume and mute have been applied, and where it is muted it
/// comes as silence.
///
/// All calls come in order on one queue, never two at a time.
public protocol AudioSink: AnyObject, Sendable {
    /// Before the first buffer, and again whenever the decoder's format changes. Returns the format that
    /// buffers are wanted in; the engine converts.
    func start(_ format: AudioFormat) throws -> AudioFormat
    /// Takes the next samples, which follow those before without a seam unless `flush` came between. Called
    /// at most 0.1 s before they are due; a device says itself how long (`AudioDeviceSink.lead`).
    func write(_ buffer: AudioBuffer) throws
    /// The timeline stopped or runs again.
    func setPaused(_ isPaused: Bool)
    /// A seek or a new item: what was written and not yet heard must not be heard.
    func flush()
    /// Exactly once, also after an error; nothing follows.
    func finish()
}

extension AudioSink {
    public func setPaused(_ isPaused: Bool) {}
    public func flush() {}
}
