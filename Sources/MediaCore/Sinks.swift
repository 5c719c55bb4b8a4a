/// Takes pictures. What a user plugs into a layer.
///
/// All calls come in order on the layer's own queue, never two at a time. A slow sink delays neither the
/// clock nor other sinks nor other players: what it cannot take in time it does not get (in real time), or
/// playback waits for it (on the virtual clock).
public protocol VideoSink: AnyObject, Sendable {
    /// Most wanted first; empty for the decoder's own, untouched and uncopied.
    var acceptedPixelFormats: [PixelFormat] { get }
    /// Before the first picture, and again whenever size, format or colour changes.
    func start(_ format: VideoFormat) throws
    func present(_ frame: VideoFrame) throws
    /// A seek or a new item: what was presented so far is no longer current.
    func flush()
    /// Exactly once, also after an error; nothing follows.
    func finish()
}

extension VideoSink {
    public var acceptedPixelFormats: [PixelFormat] { [] }
    public func flush() {}
}

/// Takes sound, as loud as it is to be heard: volume and mute have been applied, and where it is muted it
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
