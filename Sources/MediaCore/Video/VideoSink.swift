/// Takes frames. What a user plugs into a layer.
///
/// All calls come in order on the sink's own queue, never two at a time. A slow sink delays neither the
/// clock nor other sinks nor other players: what it cannot take in time it does not get (in real time, as
/// `lateFramePolicy` says), or playback waits for it (on the virtual clock).
public protocol VideoSink: AnyObject, Sendable {
    /// Most wanted first; empty for the decoder's own, untouched and uncopied.
    var acceptedPixelFormats: [PixelFormat] { get }
    /// How frames come where the layer has no size. False (the default): as they were decoded, not turned, with the
    /// pixel aspect of the file. True: as a viewer is to see them, upright and with square pixels. Where the layer has a
    /// size they come so in any case. Read once, when the sink is added.
    var appliesPreferredTrackTransform: Bool { get }
    /// What it does not get where it is slower than frames come due; `.dropLate` by default. Read once, when the sink is
    /// added.
    var lateFramePolicy: LateFramePolicy { get }
    /// Before the first frame, and again whenever size, format or colour changes.
    func start(_ format: VideoFormat) throws
    /// Takes a frame that is due now. It may keep it as long as it likes. What it throws finishes the sink
    /// and takes it off its layer; playing goes on, and `sinkFailed` tells the words.
    func present(_ frame: VideoFrame) throws
    /// A seek or a new item: what was presented so far is no longer current.
    func flush()
    /// Exactly once, also after an error; nothing follows.
    func finish()
}

extension VideoSink {
    public var acceptedPixelFormats: [PixelFormat] { [] }
    public var appliesPreferredTrackTransform: Bool { false }
    public var lateFramePolicy: LateFramePolicy { .dropLate }
    public func flush() {}
}
